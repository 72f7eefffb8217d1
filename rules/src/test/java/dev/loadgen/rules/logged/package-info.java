/** Tests of judging what somebody's LoadGen has logged. */
@NullMarked
package dev.loadgen.rules.logged;

import org.jspecify.annotations.NullMarked;
