/** Tests of the accuracy log's reader, and the reference data of all tests. */
@NullMarked
package dev.loadgen.accuracy.input;

import org.jspecify.annotations.NullMarked;
