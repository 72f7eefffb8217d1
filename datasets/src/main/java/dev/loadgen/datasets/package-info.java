/**
 * Reads the samples of a run from a dataset file, whatever its format, into columns, and makes
 * prompts of them.
 */
@NullMarked
package dev.loadgen.datasets;

import org.jspecify.annotations.NullMarked;
