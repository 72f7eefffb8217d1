package dev.loadgen.runner.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Engine;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * By pages that vLLM 0.32.0 and SGLang 0.5.23 really gave; those without a cache, before and after
 * 20 answers of 24 tokens each.
 */
class ServerConductTest {
  private static final long ANSWERED = 480;

  private static String page(Engine engine, String name) {
    String file = "/" + engine + "/metrics_" + name + ".response.txt";
    try (InputStream in = ServerConductTest.class.getResourceAsStream(file)) {
      return new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ServerConduct conduct(Engine engine, String before, String after, long answered) {
    return ServerConduct.of(
        engine, PrometheusText.parse(before), PrometheusText.parse(after), answered);
  }

  /** A page with another number, or another name, in place of what was recorded. */
  private static String changed(String page, String from, String to) {
    assertThat(page).contains(from);
    return page.replace(from, to);
  }

  private static String without(String page, String... names) {
    for (String name : names) {
      String shorter = page.replaceAll("(?m)^(# TYPE )?" + name + "\\b.*\\R", "");
      assertThat(shorter).as(name).isNotEqualTo(page);
      page = shorter;
    }
    return page;
  }

  private static void unknown(ServerConduct conduct, String why) {
    assertThat(conduct.cachedTokens()).isNull();
    assertThat(conduct.drafted()).isNull();
    assertThat(conduct.unknown()).contains(why);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "openai")
  void anEngineWithoutACacheShowsIt(Engine engine) {
    assertThat(
            conduct(
                engine, page(engine, "no_cache_before"), page(engine, "no_cache_after"), ANSWERED))
        .isEqualTo(new ServerConduct(0L, false, null));
  }

  @ParameterizedTest
  @CsvSource({"vllm, 426, 0", "sglang, 354, 277"})
  void whatACacheGaveIsCounted(Engine engine, long answered, long cached) {
    assertThat(conduct(engine, page(engine, "before"), page(engine, "after"), answered))
        .isEqualTo(new ServerConduct(cached, false, null));
  }

  @Test
  void everyCounterOfCachedTokensOfVllmTells() {
    String before = page(Engine.vllm, "no_cache_before");
    String after = page(Engine.vllm, "no_cache_after");
    for (String counter :
        new String[] {"prefix_cache_hits", "external_prefix_cache_hits", "prompt_tokens_cached"}) {
      String labels = "{engine=\"0\",model_name=\"tiny-llama\"} ";
      String hit =
          changed(
              after,
              "\nvllm:" + counter + "_total" + labels + "0.0",
              "\nvllm:" + counter + "_total" + labels + "31.0");

      assertThat(conduct(Engine.vllm, before, hit, ANSWERED).cachedTokens())
          .as(counter)
          .isEqualTo(31);
    }
  }

  @Test
  void sglangTellsOfItsCacheInMoreThanOneWay() {
    String before = page(Engine.sglang, "before");
    String after = page(Engine.sglang, "after");

    assertThat(
            conduct(Engine.sglang, before, without(after, "sglang:cached_tokens_total"), 354)
                .cachedTokens())
        .isEqualTo(277);
    assertThat(
            conduct(
                    Engine.sglang,
                    before,
                    without(
                        after,
                        "sglang:cached_tokens_total",
                        "sglang:prefill_effective_tokens_total"),
                    354)
                .cachedTokens())
        .isEqualTo(277);

    ServerConduct onlyARate =
        conduct(
            Engine.sglang,
            before,
            without(
                after,
                "sglang:cached_tokens_total",
                "sglang:prefill_effective_tokens_total",
                "sglang:uncached_prompt_tokens_histogram_sum"),
            354);
    assertThat(onlyARate.cachedTokens()).isNull();
    assertThat(onlyARate.drafted()).isFalse();
    assertThat(onlyARate.unknown()).contains("sglang:cache_hit_rate is 0.875");
  }

  /** 0.4.9 to 0.5.9 have these four and, from the first hit on, sglang:cached_tokens_total. */
  @Test
  void anOlderSglangWithoutACacheShowsItAsWell() {
    String[] newer = {
      "sglang:prefill_effective_tokens_total", "sglang:uncached_prompt_tokens_histogram_sum"
    };

    assertThat(
            conduct(
                Engine.sglang,
                without(page(Engine.sglang, "no_cache_before"), newer),
                without(page(Engine.sglang, "no_cache_after"), newer),
                ANSWERED))
        .isEqualTo(new ServerConduct(0L, false, null));
  }

  /** The drafts of words that were in the prompt: with this model, which writes noise, none. */
  @Test
  void aDraftModelIsSeenByWhatItProposes() {
    String before = page(Engine.vllm, "draft_before");
    String after = page(Engine.vllm, "draft_after");
    String drafts = "vllm:spec_decode_num_draft_tokens_total";
    String labels = "{engine=\"0\",model_name=\"tiny-llama\"} ";
    String drafted = changed(after, drafts + labels + "0.0", drafts + labels + "90.0");

    assertThat(conduct(Engine.vllm, before, after, ANSWERED))
        .isEqualTo(new ServerConduct(0L, false, null));
    assertThat(conduct(Engine.vllm, before, drafted, ANSWERED))
        .isEqualTo(new ServerConduct(0L, true, null));
    assertThat(
            conduct(
                Engine.vllm,
                before,
                drafted.replace(drafts, "vllm:spec_decode_drafted_total"),
                ANSWERED))
        .as("by another name")
        .isEqualTo(new ServerConduct(0L, true, null));

    String accepted =
        changed(
            page(Engine.sglang, "no_cache_after"),
            "sglang:spec_accept_length{engine_type=\"unified\",model_name=\"tiny-llama\","
                + "moe_ep_rank=\"0\",pp_rank=\"0\",tp_rank=\"0\"} 0.0",
            "sglang:spec_accept_length{engine_type=\"unified\",model_name=\"tiny-llama\","
                + "moe_ep_rank=\"0\",pp_rank=\"0\",tp_rank=\"0\"} 1.7");
    assertThat(
            conduct(Engine.sglang, page(Engine.sglang, "no_cache_before"), accepted, ANSWERED)
                .drafted())
        .isTrue();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "openai")
  void aPageThatIsNotTheEnginesSaysNothing(Engine engine) {
    String gateway = "# TYPE http_requests_total counter\nhttp_requests_total 5\n";
    String other = page(engine == Engine.vllm ? Engine.sglang : Engine.vllm, "no_cache_after");

    unknown(conduct(engine, "", "", ANSWERED), engine + ":generation_tokens_total");
    unknown(conduct(engine, gateway, gateway, ANSWERED), "which every " + engine + " has");
    unknown(conduct(engine, other, other, ANSWERED), engine + ":prompt_tokens_total");
    unknown(conduct(engine, gateway, gateway, 0), "which every " + engine + " has");
  }

  @ParameterizedTest
  @CsvSource({
    "vllm, vllm:generation_tokens_total",
    "vllm, vllm:prompt_tokens_total",
    "vllm, vllm:prefix_cache_hits_total",
    "vllm, vllm:prefix_cache_queries_total",
    "sglang, sglang:generation_tokens_total",
    "sglang, sglang:prompt_tokens_total",
    "sglang, sglang:cache_hit_rate",
    "sglang, sglang:spec_accept_length",
  })
  void aCounterOfAnotherNameIsMissed(Engine engine, String name) {
    String renamed = name.replace("_t", "_v2_t").replace("_rate", "_v2").replace("_length", "_v2");

    unknown(
        conduct(
            engine,
            changed(page(engine, "no_cache_before"), name, renamed),
            changed(page(engine, "no_cache_after"), name, renamed),
            ANSWERED),
        "its /metrics lacks " + name + ", which every " + engine + " has");
  }

  @Test
  void namesOfOlderReleasesOfVllmAreKnown() {
    String before = page(Engine.vllm, "no_cache_before");
    String after = page(Engine.vllm, "no_cache_after");

    assertThat(
            conduct(
                Engine.vllm,
                changed(before, "vllm:prefix_cache", "vllm:gpu_prefix_cache"),
                changed(after, "vllm:prefix_cache", "vllm:gpu_prefix_cache"),
                ANSWERED))
        .isEqualTo(new ServerConduct(0L, false, null));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "openai")
  void countersThatStandStillAreOfSomebodyElse(Engine engine) {
    String page = page(engine, "no_cache_after");

    unknown(
        conduct(engine, page, page, ANSWERED),
        "its counter of generated tokens rose by 0 during the test, in which it answered with 480");
    assertThat(conduct(engine, page, page, 0))
        .as("a server that answered nothing")
        .isEqualTo(new ServerConduct(0L, false, null));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "openai")
  void countersThatRiseByLessAreOfOneServerOfSeveral(Engine engine) {
    unknown(
        conduct(
            engine, page(engine, "no_cache_before"), page(engine, "no_cache_after"), ANSWERED + 1),
        "rose by 480 during the test, in which it answered with 481");
  }

  @Test
  void promptTokensRiseAsWell() {
    String before = page(Engine.vllm, "no_cache_before");
    String still =
        changed(
            page(Engine.vllm, "no_cache_after"),
            "vllm:prompt_tokens_total{engine=\"0\",model_name=\"tiny-llama\"} 651.0",
            "vllm:prompt_tokens_total{engine=\"0\",model_name=\"tiny-llama\"} 31.0");

    unknown(conduct(Engine.vllm, before, still, ANSWERED), "counter of prompt tokens stood still");
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "openai")
  void aServerThatStartedAnewCountsFromZero(Engine engine) {
    String fresh = page(engine, "no_cache_before");
    String old =
        page(engine, "no_cache_after").replaceAll("(?m)(_total\\{.*\\}) (\\d+)\\.0$", "$1 99999.0");

    assertThat(conduct(engine, old, fresh, 24)).isEqualTo(new ServerConduct(0L, false, null));
    unknown(conduct(engine, old, fresh, ANSWERED), "in which it answered with 480");
  }
}
