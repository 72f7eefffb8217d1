package dev.loadgen.simulator;

/**
 * How a request on an OpenAI route wants its answer.
 *
 * @param usage with the counts of tokens at its end
 * @param continuousUsage with the counts so far in each event
 */
record StreamOptions(boolean stream, boolean usage, boolean continuousUsage) {
  static StreamOptions of(RequestFields request) throws RequestException {
    boolean stream = request.flag("stream");
    RequestFields more = request.object("stream_options");
    boolean usage = stream && more.flag("include_usage");
    return new StreamOptions(stream, usage, usage && more.flag("continuous_usage_stats"));
  }
}
