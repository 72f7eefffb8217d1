package dev.loadgen.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PathMapTest {
  private final PathMap map =
      new PathMap(
          List.of(
              new PathMap.Mount("/data", Path.of("/here/data")),
              new PathMap.Mount("/data/inner", Path.of("/there"))),
          "127.77.0.2");

  @Test
  void translatesWholePathsByTheDeepestMount() {
    assertThat(map.word("/data")).isEqualTo("/here/data");
    assertThat(map.word("/data/x/y.json")).isEqualTo("/here/data/x/y.json");
    assertThat(map.word("/data/inner/z")).isEqualTo("/there/z");
  }

  @Test
  void leavesPathsThatOnlyBeginLikeAMount() {
    assertThat(map.word("/database")).isEqualTo("/database");
    assertThat(map.word("x/data")).isEqualTo("x/data");
  }

  @Test
  void translatesValuesOfOptionsAndPathLists() {
    assertThat(map.word("--plan=/data/p")).isEqualTo("--plan=/here/data/p");
    assertThat(map.value("/data/a:/data/inner")).isEqualTo("/here/data/a:/there");
    assertThat(map.value("http://host/data")).isEqualTo("http://host/data");
  }

  @Test
  void replacesTheWildcardAddressInWordsOnly() {
    assertThat(map.word("0.0.0.0:9464")).isEqualTo("127.77.0.2:9464");
    assertThat(map.value("0.0.0.0")).isEqualTo("0.0.0.0");
  }

  @Test
  void expandsKnownVariablesAndTheEscape() {
    assertThat(Variables.expand("a $(X) $$(X) $(Y) $5", Map.of("X", "$1")))
        .isEqualTo("a $1 $(X) $(Y) $5");
  }
}
