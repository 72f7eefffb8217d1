/**
 * Tests of the binding; those that run LoadGen fork a JVM each, since it runs once in a process.
 */
@NullMarked
package dev.loadgen.mlperf;

import org.jspecify.annotations.NullMarked;
