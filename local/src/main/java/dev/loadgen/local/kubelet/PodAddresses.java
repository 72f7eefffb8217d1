package dev.loadgen.local.kubelet;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.BitSet;

/**
 * Hands out loopback addresses, so that pods can listen on the same port. Each kubelet takes a /24
 * of 127.77.0.0/16 for itself, held by a listening socket on its first address, so that several at
 * once do not collide. Thread-safe.
 */
final class PodAddresses implements AutoCloseable {
  private static final int LOCK_PORT = 10_977;

  private final ServerSocket lock;
  private final int block;
  private final BitSet taken = new BitSet();

  private PodAddresses(ServerSocket lock, int block) {
    this.lock = lock;
    this.block = block;
    taken.set(0);
    taken.set(1); // the lock's own
    taken.set(255);
  }

  /**
   * Takes a block.
   *
   * @throws IOException if there is none, such as where 127.0.0.0/8 is not all loopback
   */
  static PodAddresses claim() throws IOException {
    IOException last = null;
    for (int block = 0; block < 256; block++) {
      ServerSocket socket = new ServerSocket();
      try {
        socket.bind(new InetSocketAddress(address(block, 1), LOCK_PORT), 1);
        return new PodAddresses(socket, block);
      } catch (IOException e) {
        socket.close();
        last = e;
      }
    }
    throw new IOException(
        "no loopback addresses for pods: cannot listen on 127.77.0.1 to 127.77.255.1, port "
            + LOCK_PORT
            + "; Linux gives every process all of 127.0.0.0/8",
        last);
  }

  private static InetAddress address(int block, int host) throws IOException {
    return InetAddress.getByAddress(new byte[] {127, 77, (byte) block, (byte) host});
  }

  synchronized String take() throws ContainerConfigException {
    int host = taken.nextClearBit(2);
    if (host >= 255) {
      throw new ContainerConfigException("all 253 pod addresses of this machine are in use");
    }
    taken.set(host);
    return "127.77." + block + "." + host;
  }

  synchronized void release(String address) {
    taken.clear(Integer.parseInt(address.substring(address.lastIndexOf('.') + 1)));
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
