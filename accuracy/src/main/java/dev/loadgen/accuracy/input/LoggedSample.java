package dev.loadgen.accuracy.input;

import org.jspecify.annotations.Nullable;

/**
 * One entry of an accuracy log, with what LoadGen logs beside the answer where it measures tokens.
 *
 * @param firstToken what the client handed to LoadGen as first token ({@code token_data}); null if
 *     the log has none, as in Offline
 * @param tokenCount how many tokens the client reported ({@code token_count}); null if the log does
 *     not say
 */
@SuppressWarnings("ArrayRecordComponent") // read once and dropped; never compared
public record LoggedSample(
    LoggedAnswer answer, byte @Nullable [] firstToken, @Nullable Long tokenCount) {}
