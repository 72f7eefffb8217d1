package dev.loadgen.runner.client;

import org.jspecify.annotations.Nullable;

/** One sample's input: token ids, text, or both; an engine client takes token ids where its route allows. */
public record Prompt(int @Nullable [] tokenIds, @Nullable String text) {}
