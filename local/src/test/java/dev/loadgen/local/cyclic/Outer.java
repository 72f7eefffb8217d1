package dev.loadgen.local.cyclic;

import dev.loadgen.local.cyclic.inner.Inner;

/** Half of a cycle of packages, for the test that finds such. */
public record Outer(Inner inner) {}
