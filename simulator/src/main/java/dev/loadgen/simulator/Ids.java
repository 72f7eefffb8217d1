package dev.loadgen.simulator;

import java.util.concurrent.atomic.AtomicLong;

/** Ids of requests that name none: unique within a simulator, different from start to start. */
final class Ids {

  private final long salt;
  private final AtomicLong count = new AtomicLong();

  Ids(long salt) {
    this.salt = salt;
  }

  /** 16 hexadecimal digits. */
  String hex16() {
    return String.format("%016x", Hash.mix(salt, count.incrementAndGet()));
  }

  /** 32 hexadecimal digits. */
  String hex32() {
    return hex16() + hex16();
  }
}
