package dev.loadgen.local;

/** How a command prints what it found. */
@SuppressWarnings("MemberName") // as users type them
enum OutputFormat {
  /** Tables and sentences, for people. */
  table,
  /** One JSON document, for programs. */
  json
}
