package dev.loadgen.runner.dispatch;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** Keeps what LoadGen is told, and what it would choke on. */
final class RecordingCompletions implements Completions {
  private final ConcurrentMap<Long, Integer> tokens = new ConcurrentHashMap<>();
  private final ConcurrentMap<Long, byte[]> data = new ConcurrentHashMap<>();
  private final ConcurrentMap<Long, byte[]> firstData = new ConcurrentHashMap<>();
  private final Set<Long> firstTokens = ConcurrentHashMap.newKeySet();
  private final List<String> faults = new CopyOnWriteArrayList<>();

  @Override
  public void firstToken(long id, byte[] bytes) {
    if (tokens.containsKey(id) || !firstTokens.add(id)) {
      faults.add("first token of " + id + " too late or twice");
    }
    firstData.put(id, bytes);
  }

  @Override
  public void complete(long id, byte[] bytes, int count) {
    if (tokens.putIfAbsent(id, count) != null) {
      faults.add(id + " completed twice");
    }
    data.put(id, bytes);
  }

  /** Token counts of the completed samples. */
  Map<Long, Integer> tokens() {
    return Map.copyOf(tokens);
  }

  /** Samples that were completed with tokens. */
  Set<Long> withTokens() {
    return tokens.entrySet().stream()
        .filter(entry -> entry.getValue() > 0)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  byte[] data(long id) {
    return data.getOrDefault(id, new byte[] {-1});
  }

  byte[] firstData(long id) {
    return firstData.getOrDefault(id, new byte[] {-1});
  }

  Set<Long> firstTokens() {
    return Set.copyOf(firstTokens);
  }

  List<String> faults() {
    return List.copyOf(faults);
  }
}
