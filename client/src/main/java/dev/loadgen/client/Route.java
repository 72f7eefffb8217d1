package dev.loadgen.client;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;

/** A route of the engines that generates text. */
enum Route {
  COMPLETIONS("/v1/completions"),
  CHAT_COMPLETIONS("/v1/chat/completions"),
  GENERATE("/generate");

  private final String path;

  Route(String path) {
    this.path = path;
  }

  String path() {
    return path;
  }

  Wire wire() {
    return switch (this) {
      case COMPLETIONS, CHAT_COMPLETIONS -> new OpenAiWire();
      case GENERATE -> new SglangWire();
    };
  }

  /**
   * The route that an engine serves an endpoint type with.
   *
   * @throws IllegalArgumentException if the engine has no such route
   */
  static Route of(Engine engine, EndpointType type) {
    return switch (type) {
      case completions -> COMPLETIONS;
      case chat_completions -> CHAT_COMPLETIONS;
      case generate -> {
        if (engine != Engine.sglang) {
          throw new IllegalArgumentException(
              "endpointType generate is a route of sglang, which "
                  + engine
                  + " does not have: set completions (token ids or text) or chat_completions");
        }
        yield GENERATE;
      }
    };
  }
}
