/** Tests of product metadata. */
@NullMarked
package dev.loadgen.accuracy.catalogue;

import org.jspecify.annotations.NullMarked;
