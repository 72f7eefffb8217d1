/** Prometheus metrics of the operator. */
@NullMarked
package dev.loadgen.operator.metrics;

import org.jspecify.annotations.NullMarked;
