package dev.loadgen.simulator;

import java.io.IOException;

/** All routes of one engine. */
interface Dialect extends HttpServer.Handler {

  /** The server is ready from now on. */
  void ready();

  @Override
  void handle(Exchange exchange) throws IOException, InterruptedException;
}
