/**
 * Scores of a benchmark's answers, as its reference evaluator computes them. Pure: no HTTP, no
 * Kubernetes, no Python, and no answer is ever executed.
 */
@NullMarked
package dev.loadgen.accuracy;

import org.jspecify.annotations.NullMarked;
