/** Reads the samples of a run from a dataset file, whatever its format, into columns. */
@NullMarked
package dev.loadgen.runner.dataset;

import org.jspecify.annotations.NullMarked;
