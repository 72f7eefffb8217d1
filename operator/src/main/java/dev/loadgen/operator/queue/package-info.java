/** What Kueue says of what it has not admitted. */
@NullMarked
package dev.loadgen.operator.queue;

import org.jspecify.annotations.NullMarked;
