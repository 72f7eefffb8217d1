/** What evaluators read: LoadGen's accuracy log and a dataset's reference columns. */
@NullMarked
package dev.loadgen.accuracy.input;

import org.jspecify.annotations.NullMarked;
