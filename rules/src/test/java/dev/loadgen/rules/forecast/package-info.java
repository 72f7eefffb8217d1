/** Tests of the forecast. */
@NullMarked
package dev.loadgen.rules.forecast;

import org.jspecify.annotations.NullMarked;
