/** Kubernetes Events of what happens to runs and backends. */
@NullMarked
package dev.loadgen.reconcile.events;

import org.jspecify.annotations.NullMarked;
