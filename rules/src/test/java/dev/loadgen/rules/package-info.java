/** Tests of the rulesets, the log reader, the predictions and the judge. */
@NullMarked
package dev.loadgen.rules;

import org.jspecify.annotations.NullMarked;
