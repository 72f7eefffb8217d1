/** Tests that somebody's LoadGen has logged: finding them in folders, and judging them. */
@NullMarked
package dev.loadgen.rules.logged;

import org.jspecify.annotations.NullMarked;
