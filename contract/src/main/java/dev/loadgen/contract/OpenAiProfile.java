package dev.loadgen.contract;

/** Servers and gateways of which nothing is known but that they speak OpenAI's API. */
record OpenAiProfile() implements EngineProfile {}
