/** What takes its time, such as a server that may not answer: asked for outside of reconciling. */
@NullMarked
package dev.loadgen.reconcile.background;

import org.jspecify.annotations.NullMarked;
