package dev.loadgen.rules.evidence;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Answers as accuracy logs have them. */
public final class TokenIds {
  private TokenIds() {}

  /** Tokens as little-endian int32. */
  public static byte[] ids(int... ids) {
    ByteBuffer bytes =
        ByteBuffer.allocate(Integer.BYTES * ids.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(ids);
    return bytes.array();
  }
}
