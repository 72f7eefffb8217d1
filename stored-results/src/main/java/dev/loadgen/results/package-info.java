/**
 * What a test leaves behind: the results folder, the records of samples, the measured values, the
 * summary.
 */
@NullMarked
package dev.loadgen.results;

import org.jspecify.annotations.NullMarked;
