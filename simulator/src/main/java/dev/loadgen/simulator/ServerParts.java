package dev.loadgen.simulator;

/** What a simulated server is made of, whichever engine's routes are before it. */
record ServerParts(
    SimulatorOptions options,
    TimeSource time,
    Vocabulary vocabulary,
    LanguageModel model,
    Slots slots,
    PrefixCache prefixes,
    SimulatedReplica replica,
    Responder responder) {}
