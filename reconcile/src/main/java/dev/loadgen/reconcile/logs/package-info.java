/** Logs of containers. */
@NullMarked
package dev.loadgen.reconcile.logs;

import org.jspecify.annotations.NullMarked;
