/** Tests of ROUGE and what it needs. */
@NullMarked
package dev.loadgen.accuracy.summary;

import org.jspecify.annotations.NullMarked;
