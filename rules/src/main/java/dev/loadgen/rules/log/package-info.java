/** Reading the logs that LoadGen writes. */
@NullMarked
package dev.loadgen.rules.log;

import org.jspecify.annotations.NullMarked;
