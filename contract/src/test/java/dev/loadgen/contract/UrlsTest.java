package dev.loadgen.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UrlsTest {
  @ParameterizedTest
  @CsvSource({
    "http://a/b.json, http://a/b.json, false",
    "https://user:hunter2@a:8443/b.json, https://a:8443/b.json, true",
    "https://hunter2@a/b, https://a/b, true",
    "https://user:hun@ter2@a/b, https://a/b, true",
    "https://a/b@c.json, https://a/b@c.json, false",
    "https://a/b?X-Amz-Signature=5EC4E7, https://a/b?..., false",
    "https://a/b#5EC4E7, https://a/b?..., false",
    "https://a?user@b, https://a?..., false",
    "https://u:p@a/b?sig=5EC4E7#x, https://a/b?..., true",
    "s3://KEY:5EC4E7@bucket/b, s3://bucket/b, true",
    "user:hunter2@a/b, a/b, true",
    "mlflow:5000, mlflow:5000, false",
    "'', '', false",
  })
  void nothingThatLetsSomebodyInIsShown(String url, String shown, boolean userInfo) {
    assertThat(Urls.shown(url)).isEqualTo(shown);
    assertThat(Urls.hasUserInfo(url)).isEqualTo(userInfo);
  }

  /** Whoever may write a spec writes these; they are read in a pass of the operator. */
  @ParameterizedTest
  @ValueSource(strings = {"x", "a:", "a://", "a://b,", "a://b@", "a://b?", "@"})
  @Timeout(10)
  void noTextTakesLong(String part) {
    assertThat(Urls.shownIn(part.repeat(300_000))).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "--url=https://user:hunter2@a:8443/b | --url=https://a:8443/b",
        "http://a,http://user:hunter2@b | http://a,http://b",
        "{\"u\": \"https://a/b?sig=5EC4E7\", \"c\": 1} | {\"u\": \"https://a/b?...\", \"c\": 1}",
        "see https://a/b#5EC4E7 or s3://KEY:5EC4E7@bucket/b | see https://a/b?... or s3://bucket/b",
        "http://a/b@c.json | http://a/b@c.json",
        "user@host is no URL, nor is a?b=c | user@host is no URL, nor is a?b=c",
      })
  void norInATextAroundIt(String text, String shown) {
    assertThat(Urls.shownIn(text)).isEqualTo(shown);
  }
}
