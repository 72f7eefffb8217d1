/** Tests of the log reader. */
@NullMarked
package dev.loadgen.rules.log;

import org.jspecify.annotations.NullMarked;
