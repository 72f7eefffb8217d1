/** Runs one LoadGen test as a {@link dev.loadgen.contract.RunPlan} says. */
@NullMarked
package dev.loadgen.runner;

import org.jspecify.annotations.NullMarked;
