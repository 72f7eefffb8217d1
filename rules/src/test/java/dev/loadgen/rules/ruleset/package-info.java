/** Tests of the rulesets. */
@NullMarked
package dev.loadgen.rules.ruleset;

import org.jspecify.annotations.NullMarked;
