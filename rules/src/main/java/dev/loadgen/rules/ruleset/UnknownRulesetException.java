package dev.loadgen.rules.ruleset;

import java.util.Collection;

/** A ruleset that does not exist; the message lists those that do. */
public final class UnknownRulesetException extends IllegalArgumentException {
  UnknownRulesetException(String name, Collection<String> known) {
    super("ruleset " + name + " is not known; known are " + String.join(", ", known));
  }
}
