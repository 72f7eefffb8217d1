/** Kubernetes Events of what happens to runs and backends. */
@NullMarked
package dev.loadgen.operator.events;

import org.jspecify.annotations.NullMarked;
