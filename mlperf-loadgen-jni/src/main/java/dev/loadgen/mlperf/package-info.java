/**
 * MLCommons LoadGen for Java: its API in its own terms, safe to call in any order and from any
 * thread.
 */
@NullMarked
package dev.loadgen.mlperf;

import org.jspecify.annotations.NullMarked;
