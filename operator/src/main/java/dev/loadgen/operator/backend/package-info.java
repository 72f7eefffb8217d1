/** Reconciles InferenceBackends: observe, decide, act, one status patch a pass. */
@NullMarked
package dev.loadgen.operator.backend;

import org.jspecify.annotations.NullMarked;
