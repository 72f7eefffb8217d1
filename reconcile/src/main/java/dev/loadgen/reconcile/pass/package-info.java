/** What both reconcilers share: they write statuses, and report what prevents it. */
@NullMarked
package dev.loadgen.reconcile.pass;

import org.jspecify.annotations.NullMarked;
