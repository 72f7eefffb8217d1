package dev.loadgen.desired;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EndpointsTest {
  @ParameterizedTest
  @CsvSource({
    "http://host:8000, http://host:8000",
    "http://host:8000/, http://host:8000",
    "http://host:8000/v1, http://host:8000",
    "https://host/llm, https://host/llm",
    "https://host/llm/v1/, https://host/llm",
    "https://host/v1/llm//, https://host/v1/llm",
    "https://host/apiv1, https://host/apiv1",
    "http://v1, http://v1",
    "http://v1/v1, http://v1",
  })
  void aBaseUrlEndsBeforeItsRoutes(String given, String base) {
    assertThat(
            Endpoints.of(
                Fixtures.backend(
                    "engine: openai\nmodel: {name: m}\nexternal: {urls: [\"" + given + "\"]}")))
        .singleElement()
        .satisfies(endpoint -> assertThat(endpoint.url()).isEqualTo(base));
  }
}
