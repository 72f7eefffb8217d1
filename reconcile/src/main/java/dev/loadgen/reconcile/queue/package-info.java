/** What Kueue says of what it has not admitted. */
@NullMarked
package dev.loadgen.reconcile.queue;

import org.jspecify.annotations.NullMarked;
