/** Lines of the log: one event is one line whatever its message holds. */
@NullMarked
package dev.loadgen.operator.logging;

import org.jspecify.annotations.NullMarked;
