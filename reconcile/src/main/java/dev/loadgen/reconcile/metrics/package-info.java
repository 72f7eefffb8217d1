/** Prometheus metrics of the operator. */
@NullMarked
package dev.loadgen.reconcile.metrics;

import org.jspecify.annotations.NullMarked;
