/** Conditions and what a pod tells about itself. */
@NullMarked
package dev.loadgen.reconcile.status;

import org.jspecify.annotations.NullMarked;
