package dev.loadgen.local;

/** How a command prints what it found. */
enum OutputFormat {
  /** Tables and sentences, for people. */
  text,
  /** One JSON document, for programs. */
  json
}
