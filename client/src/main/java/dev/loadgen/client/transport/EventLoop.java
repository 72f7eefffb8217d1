package dev.loadgen.client.transport;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One thread with a selector, its connections, and the exchanges on them. Other threads only {@link
 * #execute} and {@link #close}.
 */
final class EventLoop implements Lane, AutoCloseable {
  /** Of one read or write; also the most that one connection is given before the next. */
  private static final int BUFFER_BYTES = 64 << 10;

  /** How many tasks go before the connections have their turn. */
  private static final int MAX_TASKS = 256;

  /** How often idle connections are looked at, where there are any. */
  private static final Duration TICK = Duration.ofMillis(250);

  /**
   * What is ready is asked for in less than these nanoseconds, and no thread falls asleep and wakes
   * in them; a loop that finds something so soon has not rested.
   */
  private static final long SHORTEST_REST = 5_000;

  private final HostNames names;
  private final long idleLifetime;
  private final Selector selector;
  private final Thread thread;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** Whether the thread may be waiting, so that a new task has to wake it. */
  private final AtomicBoolean waiting = new AtomicBoolean();

  private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final byte[] bytes = new byte[BUFFER_BYTES];
  private final ByteBuffer out = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final Consumer<SelectionKey> ready = this::ready;
  private final IdleConnections idle = new IdleConnections();

  private final Set<LoopExchange> resolving = new HashSet<>();
  private long lastTick;
  private long lastTurn;

  /** Whether it waits for something to do, since {@link #lastTurn}. */
  private boolean asleep;

  private long idleNanos;
  private volatile boolean closing;
  private volatile boolean ended;

  /** Starts the thread. */
  EventLoop(String name, HostNames names, Duration idleLifetime) {
    this.names = names;
    this.idleLifetime = idleLifetime.toNanos();
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("no selector: " + e.getMessage(), e);
    }
    this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
    thread.start();
  }

  boolean isCurrentThread() {
    return Thread.currentThread() == thread;
  }

  @Override
  public String name() {
    return thread.getName();
  }

  @Override
  public OptionalLong idleNanos() {
    return OptionalLong.of(idleNanos);
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    if (!isCurrentThread() && waiting.compareAndSet(true, false)) {
      selector.wakeup();
    }
    if (ended) {
      Thread.ofVirtual().start(this::runTasksAfterEnd);
    }
  }

  /** Closes the connections that carry nothing. Any thread. */
  void closeIdle() {
    execute(idle::closeAll);
  }

  /** Cancels everything. Any thread; {@link #join} waits for it. */
  @Override
  public void close() {
    closing = true;
    selector.wakeup();
  }

  /** Waits until no sink is called any more, unless this is called by a sink. */
  void join(Duration limit) throws InterruptedException {
    if (!isCurrentThread()) {
      thread.join(limit);
    }
  }

  private void run() {
    Throwable bug = null;
    lastTurn = System.nanoTime();
    try {
      while (!closing) {
        turn();
      }
    } catch (IOException | RuntimeException | Error e) {
      bug = e;
    }
    closing = true;
    end(bug);
    if (bug != null) {
      report(bug);
    }
  }

  private void turn() throws IOException {
    waiting.set(true);
    if (!tasks.isEmpty() || closing) {
      selector.selectNow(ready);
    } else {
      asleep = true;
      if (idle.isEmpty()) {
        selector.select(ready);
      } else {
        selector.select(ready, TICK.toMillis());
      }
      awake();
    }
    waiting.set(false);
    runTasks(MAX_TASKS);
    lastTurn = System.nanoTime();
    if (lastTurn - lastTick >= TICK.toNanos()) {
      lastTick = lastTurn;
      idle.closeIdleSince(lastTurn - idleLifetime);
    }
  }

  /** Something is ready, or nothing was in the time; the first call after a sleep counts. */
  private void awake() {
    if (asleep) {
      asleep = false;
      long rested = System.nanoTime() - lastTurn;
      if (rested > SHORTEST_REST) {
        idleNanos += rested;
      }
    }
  }

  private void runTasks(int most) {
    for (int i = 0; i < most; i++) {
      Runnable task = tasks.poll();
      if (task == null) {
        return;
      }
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        report(e);
      }
    }
  }

  /** Fails whatever is left, once no turn follows. */
  private void end(@Nullable Throwable bug) {
    List<LoopExchange> left = new ArrayList<>(resolving);
    for (SelectionKey key : selector.keys()) {
      Connection connection = (Connection) key.attachment();
      LoopExchange exchange = connection.exchange();
      if (exchange != null) {
        left.add(exchange);
      }
      connection.close();
    }
    for (LoopExchange exchange : left) {
      fail(exchange, bug == null ? FailureMessages.cancelled() : FailureMessages.bug(bug));
    }
    try {
      selector.close();
    } catch (IOException e) {
      report(e);
    }
    runTasksAfterEnd();
    ended = true;
    runTasksAfterEnd();
  }

  /** What still comes fails, since {@link #closing} is set. */
  private synchronized void runTasksAfterEnd() {
    runTasks(Integer.MAX_VALUE);
  }

  private void report(Throwable bug) {
    thread.getUncaughtExceptionHandler().uncaughtException(thread, bug);
  }

  /** The first task of an exchange. */
  void begin(LoopExchange exchange) {
    if (exchange.isOver()) {
      return;
    }
    if (closing) {
      fail(exchange, FailureMessages.cancelled());
      return;
    }
    try {
      exchange.sink().taken(System.nanoTime());
      send(exchange);
    } catch (RuntimeException | Error e) {
      bug(exchange, e);
    }
  }

  private void send(LoopExchange exchange) {
    Connection reused = takeIdle(exchange.origin());
    if (reused != null) {
      reused.carry(exchange);
      exchange.sink().connected(System.nanoTime());
      write(reused, exchange);
      return;
    }
    List<InetAddress> addresses = names.known(exchange.origin().host());
    if (addresses == null) {
      resolve(exchange);
    } else {
      connect(exchange, addresses);
    }
  }

  /**
   * A connection that the server has not closed, as far as can be known. The selector tells of
   * those that it closed before the last turn; a read tells of the others.
   */
  private @Nullable Connection takeIdle(Target.Origin origin) {
    for (Connection found = idle.take(origin); found != null; found = idle.take(origin)) {
      try {
        if (found.read(in.clear()) == 0) {
          return found;
        }
      } catch (IOException e) {
        // Reset while it was idle: as good as closed.
      }
      found.close();
    }
    return null;
  }

  private void resolve(LoopExchange exchange) {
    resolving.add(exchange);
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                List<InetAddress> addresses = names.lookup(exchange.origin().host());
                execute(() -> resolved(exchange, addresses));
              } catch (IOException | RuntimeException e) {
                IOException cause = e instanceof IOException io ? io : new IOException(e);
                execute(() -> unresolved(exchange, cause));
              }
            });
  }

  private void resolved(LoopExchange exchange, List<InetAddress> addresses) {
    if (resolving.remove(exchange) && !exchange.isOver()) {
      try {
        connect(exchange, addresses);
      } catch (RuntimeException | Error e) {
        bug(exchange, e);
      }
    }
  }

  private void unresolved(LoopExchange exchange, IOException cause) {
    if (resolving.remove(exchange) && !exchange.isOver()) {
      notConnected(exchange, cause);
    }
  }

  /** Connects to the next address; nothing of the request has been sent to those before. */
  private void connect(LoopExchange exchange, IOException ifThereIsNone) {
    IOException last = ifThereIsNone;
    for (InetAddress address = exchange.nextAddress();
        address != null;
        address = exchange.nextAddress()) {
      try {
        Connection connection = Connection.begin(exchange, address, selector);
        if (connection.isConnected()) {
          connected(connection, exchange);
        }
        return;
      } catch (IOException e) {
        last = e;
      }
    }
    notConnected(exchange, last);
  }

  private void connect(LoopExchange exchange, List<InetAddress> addresses) {
    exchange.setAddresses(addresses);
    connect(exchange, new IOException("no address"));
  }

  private void notConnected(LoopExchange exchange, IOException cause) {
    Target.Origin origin = exchange.origin();
    names.forget(origin.host());
    fail(exchange, FailureMessages.notConnected(origin.host(), origin.authority(), cause));
  }

  void cancel(LoopExchange exchange) {
    resolving.remove(exchange);
    Connection connection = exchange.connection();
    if (!exchange.isOver() && connection != null) {
      connection.close();
    }
    fail(exchange, FailureMessages.cancelled());
  }

  private void ready(SelectionKey key) {
    awake();
    Connection connection = (Connection) key.attachment();
    LoopExchange exchange = connection.exchange();
    try {
      if (exchange != null && connection.isConnecting()) {
        connected(connection, exchange);
        return;
      }
      if (exchange != null && key.isValid() && key.isWritable()) {
        write(connection, exchange);
      }
      if (key.isValid() && key.isReadable()) {
        read(connection);
      }
    } catch (RuntimeException | Error e) {
      connection.close();
      bug(exchange, e);
    }
  }

  /** A bug, of the sink most likely: the exchange still gets its end, and the bug is still seen. */
  private void bug(@Nullable LoopExchange exchange, Throwable bug) {
    if (exchange != null) {
      Connection connection = exchange.connection();
      if (connection != null && connection.exchange() == exchange) {
        connection.close();
      }
      fail(exchange, FailureMessages.bug(bug));
    }
    report(bug);
  }

  private void connected(Connection connection, LoopExchange exchange) {
    try {
      connection.finishConnect();
    } catch (IOException e) {
      connection.close();
      connect(exchange, e);
      return;
    }
    exchange.sink().connected(System.nanoTime());
    write(connection, exchange);
  }

  private void write(Connection connection, LoopExchange exchange) {
    try {
      while (!exchange.isWritten()) {
        exchange.fill(out.clear());
        connection.write(out.flip());
        exchange.wrote(out.position());
        if (out.hasRemaining()) {
          connection.awaitRoomToWrite(true);
          return;
        }
      }
      connection.awaitRoomToWrite(false);
      exchange.sink().sent(System.nanoTime());
    } catch (IOException e) {
      // The server may have answered before it closed: what it has sent decides.
      connection.awaitRoomToWrite(false);
    }
  }

  private void read(Connection connection) {
    int count;
    try {
      count = connection.read(in.clear());
    } catch (IOException e) {
      broken(connection, e);
      return;
    }
    long now = System.nanoTime();
    LoopExchange exchange = connection.exchange();
    if (exchange == null) {
      // Closed by the server while it was idle, or not to be trusted any more.
      connection.close();
      return;
    }
    ResponseReader reader = connection.reader();
    if (count < 0) {
      if (reader.completeAtEndOfStream()) {
        ended(connection, exchange, false, now);
      } else {
        broken(connection, new EOFException("unexpected end of stream"));
      }
      return;
    }
    in.flip().get(bytes, 0, count);
    int used;
    try {
      used = reader.read(bytes, 0, count, exchange.sink(), now);
    } catch (ProtocolException e) {
      connection.close();
      fail(exchange, FailureMessages.notHttp(exchange.origin().authority(), e));
      return;
    }
    if (reader.complete()) {
      boolean reusable = reader.keepAlive() && used == count && exchange.isWritten();
      ended(connection, exchange, reusable, now);
    }
  }

  private void ended(Connection connection, LoopExchange exchange, boolean reusable, long now) {
    connection.rest(now);
    if (reusable) {
      idle.add(connection);
    } else {
      connection.close();
    }
    exchange.end(now);
  }

  private void broken(Connection connection, IOException cause) {
    LoopExchange exchange = connection.exchange();
    boolean answered = connection.reader().answered();
    connection.close();
    if (exchange != null) {
      fail(exchange, FailureMessages.broken(exchange.origin().authority(), answered, cause));
    }
  }

  /** Tells the sink, whose own bug must not become the loop's. */
  private void fail(LoopExchange exchange, TransportException cause) {
    try {
      exchange.fail(cause);
    } catch (RuntimeException | Error e) {
      report(e);
    }
  }
}
