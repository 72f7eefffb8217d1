package dev.loadgen.simulator;

/**
 * Mixing of 64-bit values: the source of everything that looks random and must repeat for the same
 * seed and request.
 */
final class Hash {
  private Hash() {}

  /**
   * The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
   * Generators, OOPSLA 2014).
   */
  static long mix(long value) {
    long z = value + 0x9e3779b97f4a7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  static long mix(long state, long value) {
    return mix(state ^ mix(value));
  }

  static long of(long state, int[] values) {
    long hash = mix(state, values.length);
    for (int value : values) {
      hash = mix(hash ^ value);
    }
    return hash;
  }

  static long of(long state, CharSequence text) {
    return of(state, text.chars().toArray());
  }

  static long of(long state, byte[] bytes) {
    long hash = mix(state, bytes.length);
    for (byte b : bytes) {
      hash = mix(hash ^ b);
    }
    return hash;
  }

  /** A number in [0, 1) from the bits of {@code hash}. */
  static double unit(long hash) {
    return (hash >>> 11) * 0x1.0p-53;
  }
}
