/** Reconciles BenchmarkRuns: observe, decide, act, one status patch a pass. */
@NullMarked
package dev.loadgen.operator.run;

import org.jspecify.annotations.NullMarked;
