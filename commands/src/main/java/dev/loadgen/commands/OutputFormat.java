package dev.loadgen.commands;

/** How a command prints what it found. */
@SuppressWarnings("MemberName") // as users type them
public enum OutputFormat {
  /** Tables and sentences, for people. */
  table,
  /** One JSON document, for programs. */
  json
}
