package dev.loadgen.rules.ruleset;

/** The least and the greatest value that a score can have; the same if it is known. */
public record ScoreRange(double atLeast, double atMost) {}
