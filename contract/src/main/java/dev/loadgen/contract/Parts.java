package dev.loadgen.contract;

import java.util.Collection;
import java.util.Objects;
import java.util.Optional;

/** Finds the first part that a document lacks. JSON can leave out what no constructor would. */
final class Parts {
  private String lacking;

  /** Names and values, one after the other. */
  void of(String parent, Object... namesAndValues) {
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (namesAndValues[i + 1] == null) {
        add(parent + namesAndValues[i] + ": is missing");
      }
    }
  }

  /** Values that may be missing altogether, but have no gaps. */
  void noNulls(String name, Collection<?> values) {
    if (values != null && values.stream().anyMatch(Objects::isNull)) {
      add(name + ": has an entry that is null; remove it");
    }
  }

  /** What was measured, which may be missing altogether. */
  void provenance(String name, Provenance provenance) {
    if (provenance == null) {
      return;
    }
    noNulls(name + ".servers", provenance.servers());
    noNulls(name + ".problems", provenance.problems());
    if (provenance.problemsOrNone().contains("")) {
      add(name + ".problems: has an entry that is empty; remove it");
    }
    if (!missing()) {
      for (Provenance.Servers alike : provenance.serversOrNone()) {
        of(name + ".servers.", "pods", alike.pods());
        noNulls(name + ".servers.command", alike.command());
        noNulls(name + ".servers.args", alike.args());
        noNulls(name + ".servers.pods", alike.pods());
      }
    }
  }

  /** What servers say of themselves, which may be missing altogether. */
  void engine(String name, EngineFacts engine) {
    if (engine == null) {
      return;
    }
    of(name + ".", "arguments", engine.arguments(), "differing", engine.differing());
    of(name + ".", "silent", engine.silent());
    noNulls(name + ".differing", engine.differing());
    noNulls(name + ".silent", engine.silent());
    if (!missing()) {
      noNulls(name + ".arguments", engine.arguments().values());
      for (EngineFacts.Differing own : engine.differing()) {
        of(name + ".differing.", "server", own.server(), "arguments", own.arguments());
        noNulls(
            name + ".differing.arguments",
            own.arguments() == null ? null : own.arguments().values());
      }
    }
  }

  private void add(String problem) {
    if (lacking == null) {
      lacking = problem;
    }
  }

  boolean missing() {
    return lacking != null;
  }

  /** What is wrong with it; empty: nothing. */
  Optional<String> lacking() {
    return Optional.ofNullable(lacking);
  }
}
