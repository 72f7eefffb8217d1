package dev.loadgen.runner.client;

import org.jspecify.annotations.Nullable;

/**
 * One sample's input: token ids, text, or both; an engine client takes token ids where its route
 * allows.
 */
// Arrays for the hot path: nothing compares these values, and a list would box every id.
@SuppressWarnings("ArrayRecordComponent")
public record Prompt(int @Nullable [] tokenIds, @Nullable String text) {}
