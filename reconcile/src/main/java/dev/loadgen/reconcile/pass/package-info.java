/** What both reconcilers do alike: statuses are written, and what keeps them from it is told. */
@NullMarked
package dev.loadgen.reconcile.pass;

import org.jspecify.annotations.NullMarked;
