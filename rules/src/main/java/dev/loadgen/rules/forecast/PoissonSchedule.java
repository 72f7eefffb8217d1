package dev.loadgen.rules.forecast;

/**
 * The arrival times that LoadGen draws in Server: exponential gaps from a 32-bit Mersenne Twister,
 * as libstdc++'s {@code mt19937} and {@code exponential_distribution<double>} give them. The
 * generator is that of Matsumoto and Nishimura (1998), whose standard values a test checks.
 */
final class PoissonSchedule {
  private static final int SIZE = 624;
  private static final int SHIFT = 397;
  private static final double TWO_32 = 0x1p32;
  private static final double TWO_64 = 0x1p64;

  private final int[] state = new int[SIZE];
  private int next = SIZE;

  /**
   * @param seed only the low 32 bits count, as in the generator itself
   */
  PoissonSchedule(long seed) {
    state[0] = (int) seed;
    for (int i = 1; i < SIZE; i++) {
      state[i] = 1812433253 * (state[i - 1] ^ (state[i - 1] >>> 30)) + i;
    }
  }

  /** The time to the next query in nanoseconds, cut to whole ones. */
  long nextGapNs(double queriesPerSecond) {
    double low = nextInt();
    double uniform = (low + nextInt() * TWO_32) / TWO_64;
    if (uniform >= 1) {
      uniform = Math.nextDown(1.0);
    }
    return (long) (-Math.log(1 - uniform) / queriesPerSecond * 1e9);
  }

  /** 32 random bits as an unsigned number. */
  long nextInt() {
    if (next == SIZE) {
      refill();
    }
    int y = state[next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    y ^= y >>> 18;
    return Integer.toUnsignedLong(y);
  }

  private void refill() {
    for (int i = 0; i < SIZE; i++) {
      int y = (state[i] & 0x80000000) | (state[(i + 1) % SIZE] & 0x7fffffff);
      state[i] = state[(i + SHIFT) % SIZE] ^ (y >>> 1) ^ ((y & 1) == 0 ? 0 : 0x9908b0df);
    }
    next = 0;
  }
}
