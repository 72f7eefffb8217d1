package dev.loadgen.api.v1alpha1;

/**
 * The most that specs may ask for. The CRDs have them as {@code maximum} and {@code maxItems}; the
 * operator holds objects against them once more, since one that was stored under older CRDs stays
 * as it is. Each is far above what has been seen in use, and low enough that no computation of the
 * operator overflows or grows without end.
 */
public final class Bounds {
  /** Servers of a backend. */
  public static final int REPLICAS = 1_000;

  /** Nodes of one server. */
  public static final int NODES = 64;

  /** GPUs of one node. */
  public static final int GPUS = 1_024;

  /** Ways that a model is split by tensor, pipeline or data each. */
  public static final int PARALLEL = 1_024;

  /** Base URLs of external servers, all of which are asked for their health. */
  public static final int URLS = 64;

  /** Tokens of a prompt or an answer, and token ids. */
  public static final int TOKENS = 100_000_000;

  /** Sequences in a batch, samples in a request, requests in flight. */
  public static final int CONCURRENCY = 1_000_000;

  /** Queries of a test: LoadGen keeps each in memory. */
  public static final long QUERIES = 1_000_000_000;

  /** Samples of a dataset. */
  public static final int SAMPLES = 100_000_000;

  /** Queries a second. */
  public static final double QPS = 1_000_000;

  /** The fewest queries a second: one in eleven days. */
  public static final double LEAST_QPS = 0.000_001;

  /** Times that something is tried, or requests of a warm-up. */
  public static final int TRIES = 10_000;

  /** Temperatures and penalties. */
  public static final int SAMPLING = 100;

  /** Arguments of a program. */
  public static final int ARGUMENTS = 512;

  /** Entries of a list or a map for which nothing else is said. */
  public static final int ENTRIES = 128;

  /**
   * The largest number below the end of int64 that a schema, whose numbers are doubles, can say.
   */
  static final double INT64 = 0x1.fffffffffffffp62;

  /** The largest number of int32. */
  static final double INT32 = Integer.MAX_VALUE;

  /** Entries of a list or a map in a status. The operator's own are fewer. */
  static final int STATUS_ENTRIES = 1_024;

  private Bounds() {}
}
