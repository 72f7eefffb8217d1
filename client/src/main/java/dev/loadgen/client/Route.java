package dev.loadgen.client;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;

/** A route of the engines that generates text. */
enum Route {
  COMPLETIONS(EndpointType.completions, "/v1/completions"),
  CHAT_COMPLETIONS(EndpointType.chat_completions, "/v1/chat/completions"),
  GENERATE(EndpointType.generate, "/generate");

  private final EndpointType type;
  private final String path;

  Route(EndpointType type, String path) {
    this.type = type;
    this.path = path;
  }

  EndpointType type() {
    return type;
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
    if (!EngineProfile.of(engine).routes().contains(type)) {
      throw new IllegalArgumentException(
          ("endpointType %s is a route of sglang, which %s does not have: set completions"
                  + " (token ids or text) or chat_completions")
              .formatted(type, engine));
    }
    return switch (type) {
      case completions -> COMPLETIONS;
      case chat_completions -> CHAT_COMPLETIONS;
      case generate -> GENERATE;
    };
  }
}
