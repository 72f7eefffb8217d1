package dev.loadgen.local.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectorTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "app=a           | true",
        "app==a,tier=x   | true",
        "app!=a          | false",
        "app in (a,b)    | true",
        "app notin (a,b) | false",
        "other notin (a) | true",
        "app             | true",
        "!app            | false",
        "!other          | true",
        "app=a,other=1   | false"
      })
  void matchesLabels(String selector, boolean matches) throws Exception {
    JsonNode object =
        new ObjectMapper()
            .readTree("{\"metadata\":{\"name\":\"n\",\"labels\":{\"app\":\"a\",\"tier\":\"x\"}}}");

    assertThat(Selector.of(selector, null).test(object)).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({"metadata.name=n,true", "metadata.name!=n,false", "status.phase=Running,false"})
  void matchesFields(String selector, boolean matches) throws Exception {
    JsonNode object = new ObjectMapper().readTree("{\"metadata\":{\"name\":\"n\"}}");

    assertThat(Selector.of(null, selector).test(object)).isEqualTo(matches);
  }
}
