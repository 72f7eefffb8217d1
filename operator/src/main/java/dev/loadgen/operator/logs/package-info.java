/** Logs of containers. */
@NullMarked
package dev.loadgen.operator.logs;

import org.jspecify.annotations.NullMarked;
