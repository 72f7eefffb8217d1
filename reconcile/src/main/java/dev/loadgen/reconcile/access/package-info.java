/** What requests to the servers of a backend need to be let in. */
@NullMarked
package dev.loadgen.reconcile.access;

import org.jspecify.annotations.NullMarked;
