/** Conditions and what a pod tells about itself. */
@NullMarked
package dev.loadgen.operator.status;

import org.jspecify.annotations.NullMarked;
