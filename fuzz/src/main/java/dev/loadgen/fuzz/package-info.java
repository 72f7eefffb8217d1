/** Mutated inputs for the tests of what reads files, answers and objects. */
@NullMarked
package dev.loadgen.fuzz;

import org.jspecify.annotations.NullMarked;
