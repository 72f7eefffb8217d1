package dev.loadgen.desired;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Builds an argument list; what is not set is not there. */
final class Arguments {
  private final List<String> all = new ArrayList<>();

  Arguments value(String value) {
    all.add(value);
    return this;
  }

  Arguments option(String name, @Nullable Object value) {
    if (value != null) {
      all.add(name);
      all.add(String.valueOf(value));
    }
    return this;
  }

  /** A parallel size: 1 is every engine's default. */
  Arguments size(String name, int size) {
    return size == 1 ? this : option(name, size);
  }

  Arguments flagIf(boolean set, String name) {
    if (set) {
      all.add(name);
    }
    return this;
  }

  /** A flag with an opposite, left to the engine where the user does not care. */
  Arguments either(@Nullable Boolean set, String positive, String negative) {
    return set == null ? this : flagIf(true, set ? positive : negative);
  }

  Arguments verbatim(@Nullable List<String> values) {
    if (values != null) {
      all.addAll(values);
    }
    return this;
  }

  List<String> toList() {
    return List.copyOf(all);
  }
}
