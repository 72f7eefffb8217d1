package dev.loadgen.local.cyclic.inner;

import dev.loadgen.local.cyclic.Outer;
import org.jspecify.annotations.Nullable;

/** The other half. */
public record Inner(@Nullable Outer outer) {}
