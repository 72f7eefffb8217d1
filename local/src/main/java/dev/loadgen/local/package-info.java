/** The {@code loadgen} command: the whole system on one machine, with no cluster. */
@NullMarked
package dev.loadgen.local;

import org.jspecify.annotations.NullMarked;
