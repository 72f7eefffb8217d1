/** Bytes to be sent that are not all held as they are sent. */
@NullMarked
package dev.loadgen.datasets.payload;

import org.jspecify.annotations.NullMarked;
