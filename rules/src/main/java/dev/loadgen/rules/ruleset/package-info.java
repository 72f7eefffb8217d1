/**
 * MLPerf's rules as data: rulesets of rounds, what they ask of a benchmark and a scenario, and the
 * catalogue of rules that a verdict can rest on.
 */
@NullMarked
package dev.loadgen.rules.ruleset;

import org.jspecify.annotations.NullMarked;
