package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HtmlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "plain ä 漢 🙂        | plain ä 漢 🙂",
        "<script>            | &lt;script&gt;",
        "\" onload='x'       | &quot; onload=&#39;x&#39;",
        "&amp;               | &amp;amp;",
        "]]>                 | ]]&gt;"
      })
  void textIsSafeInContentAndAttributes(String text, String escaped) {
    assertThat(Html.escaped(text)).isEqualTo(escaped);
  }

  @Test
  void controlCharactersAreDroppedButLinesStay() {
    assertThat(Html.escaped("a\u0000\u001b[31mb\n\tc")).isEqualTo("a[31mb\n\tc");
  }
}
