package dev.loadgen.simulator;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Remembers which prompt prefixes were computed, in whole pages, the least recently used forgotten
 * first. Safe for all threads.
 */
final class PrefixCache {
  private final boolean enabled;
  private final int page;
  private final Map<Long, Boolean> pages;

  /**
   * @param page tokens per page: a prefix is found in multiples of it
   * @param capacity the most pages that are remembered
   */
  PrefixCache(boolean enabled, int page, int capacity) {
    this.enabled = enabled;
    this.page = page;
    this.pages =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > capacity;
          }
        };
  }

  /**
   * Remembers {@code prompt}. Returns how many of its first tokens were known: never all, since the
   * last is always computed.
   */
  synchronized int admit(int[] prompt) {
    if (!enabled) {
      return 0;
    }
    int found = 0;
    boolean unbroken = true;
    long hash = 0;
    for (int i = 0; i < prompt.length; i++) {
      hash = Hash.mix(hash ^ prompt[i]);
      if ((i + 1) % page == 0) {
        boolean known = pages.put(hash, Boolean.TRUE) != null;
        unbroken &= known;
        if (unbroken) {
          found = i + 1 < prompt.length ? i + 1 : i + 1 - page;
        }
      }
    }
    return found;
  }

  synchronized void clear() {
    pages.clear();
  }
}
