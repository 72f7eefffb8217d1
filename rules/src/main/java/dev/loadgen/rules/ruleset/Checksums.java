package dev.loadgen.rules.ruleset;

import org.jspecify.annotations.Nullable;

/** The checksums of a file in hexadecimal; what was not kept is null. */
public record Checksums(@Nullable String sha256, @Nullable String md5) {}
