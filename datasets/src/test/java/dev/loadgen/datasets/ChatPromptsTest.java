package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanColumnsBuilder;
import dev.loadgen.datasets.DatasetOptions.Prompts;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a chat route is sent of each kind of row, and what is wrong with rows that make nothing. */
class ChatPromptsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DatasetOptions CHAT = DatasetOptions.DEFAULTS.withPrompts(Prompts.CHAT);
  private static final byte[] PNG = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n', 0, 0};

  private final Path folder;

  ChatPromptsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Dataset rows(Object... rows) throws Exception {
    return Dataset.read(write(rows), CHAT);
  }

  private Path write(Object... rows) throws Exception {
    return Files.write(folder.resolve("data.json"), JSON.writeValueAsBytes(rows));
  }

  private static JsonNode messages(Dataset dataset, int row) throws Exception {
    return JSON.readTree(dataset.messages(row).orElseThrow().toBytes());
  }

  @SuppressWarnings("NullAway") // the contract's components are nullable without saying so
  private static RunPlan.Columns columns(
      @Nullable String text,
      @Nullable String image,
      @Nullable String title,
      @Nullable String system) {
    return RunPlanColumnsBuilder.builder()
        .text(text)
        .image(image)
        .title(title)
        .systemMessage(system)
        .build();
  }

  @Test
  void rowsOfTheProductCatalogueAreTheReferencesMessages() throws Exception {
    Dataset dataset = Dataset.read(Fixtures.path("products.json"), CHAT);
    JsonNode expected = Fixtures.readTree("products.expected.json");

    assertThat(dataset.size()).isEqualTo(expected.size());
    for (int row = 0; row < dataset.size(); row++) {
      JsonNode messages = messages(dataset, row);
      assertThat(messages).hasSize(2);
      JsonNode system = messages.get(0);
      assertThat(system.get("role").asText()).isEqualTo("system");
      assertThat(system.get("content").asText())
          .isEqualTo(expected.get(row).get("system").asText());
      JsonNode user = messages.get(1);
      assertThat(user.get("role").asText()).isEqualTo("user");
      assertThat(user.get("content")).hasSize(2);
      JsonNode text = user.get("content").get(0);
      assertThat(text.get("type").asText()).isEqualTo("text");
      assertThat(text.get("text").asText()).isEqualTo(expected.get(row).get("user").asText());
      JsonNode image = user.get("content").get(1);
      assertThat(image.get("type").asText()).isEqualTo("image_url");
      assertThat(image.get("image_url").get("url").asText())
          .isEqualTo(expected.get(row).get("url").asText());
    }
  }

  @Test
  void imagesOfParquetGoOutAsTheyAre() throws Exception {
    Dataset dataset = Dataset.read(Fixtures.path("arrow_image_struct.parquet"), CHAT);
    JsonNode expected = Fixtures.readTree("arrow_image_struct.expected.json");

    for (int row = 0; row < 4; row++) {
      String url = messages(dataset, row).findValue("image_url").get("url").asText();
      assertThat(url).startsWith("data:image/").contains(";base64,");
      byte[] image = Base64.getDecoder().decode(url.substring(url.indexOf(',') + 1));
      assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(image)))
          .isEqualTo(expected.get(row).get("sha256").asText());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "89504e470d0a1a0a0000, image/png",
    "ffd8ffe000104a464946, image/jpeg",
    "524946462400000057454250565038, image/webp",
    "474946383961, image/gif",
    "424d460000000000000036000000, image/bmp",
    "49492a0008000000, image/tiff",
    "4d4d002a00000008, image/tiff",
    "0000002066747970617669660000, image/avif",
    "0000001866747970686569630000, image/heic",
  })
  void formatComesFromTheContent(String head, String mediaType) throws Exception {
    String base64 = Base64.getEncoder().encodeToString(HexFormat.of().parseHex(head));
    Dataset dataset =
        rows(
            Map.of("product_image", base64),
            Map.of("product_image", "data:image/wrong;base64," + base64),
            Map.of("product_image", base64.replaceAll("(.{4})", "$1\n")),
            Map.of("product_image", base64.replace("=", "")),
            Map.of("product_image", "data:;base64," + base64.replace("=", "")));

    for (int row = 0; row < 5; row++) {
      assertThat(messages(dataset, row).findValue("url").asText())
          .isEqualTo("data:" + mediaType + ";base64," + base64);
    }
  }

  @Test
  void filesOfImagesAreReadBelowTheDataset() throws Exception {
    Files.createDirectories(folder.resolve("images/a"));
    Files.write(folder.resolve("images/a/1.jpg"), PNG);
    Dataset dataset =
        rows(
            Map.of("product_image", "images/a/1.jpg"),
            Map.of("product_image", Map.of("path", "images/a/1.jpg")),
            Map.of("product_image", List.of("images/a/1.jpg", "images/a/1.jpg")));

    String url = "data:image/png;base64," + Base64.getEncoder().encodeToString(PNG);
    assertThat(messages(dataset, 0).findValuesAsText("url")).containsExactly(url);
    assertThat(messages(dataset, 1).findValuesAsText("url")).containsExactly(url);
    assertThat(messages(dataset, 2).findValuesAsText("url")).containsExactly(url, url);
  }

  @Test
  void filesAboveTheDatasetAreRefused() throws Exception {
    Path outside = Files.write(folder.resolve("secret.png"), PNG);
    Path below = Files.createDirectories(folder.resolve("data"));
    Files.createSymbolicLink(below.resolve("link.png"), outside);
    for (String path :
        List.of("../secret.png", "a/../../secret.png", outside.toString(), "link.png")) {
      Path file =
          Files.write(
              below.resolve("data.json"),
              JSON.writeValueAsBytes(List.of(Map.of("product_image", path))));

      assertThatThrownBy(() -> Dataset.read(file, CHAT))
          .isInstanceOf(DatasetException.class)
          .hasMessageContaining(
              "row 0, column 'product_image': names the file '" + CellWords.brief(path) + "'")
          .hasMessageContaining("below the dataset's folder");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "null | has no image",
        "[] | has no image",
        "1 | is a number (1), not an image",
        "{} | is an object with neither 'bytes' nor 'path'",
        "\"nowhere.png\" | is text ('nowhere.png') that is neither base64 of an image nor a file below",
        "\"aGVsbG8gd29ybGQhIGhlbGxvIHdvcmxkIQ==\" | is text ('aGVsbG8gd29ybGQhIGhlbGxvIHdvcmxkIQ==') that is",
        "\"data:image/png;base64,aGVsbG8=\" | is not an image in a known format (PNG, JPEG",
        "\"data:image/png;base64,iVBORw0KGgo%\" | is not valid base64",
        "\"data:image/png,abc\" | is a data URL that does not say base64",
        "\"https://example.com/a.png\" | is the URL of an image, which servers must not fetch",
        "\"data:image/png;base64,\" | is empty, not an image",
      })
  void whatIsNoImageNamesRowColumnAndCure(String cell, String message) throws Exception {
    String good = Base64.getEncoder().encodeToString(PNG);
    Path file =
        Files.writeString(
            folder.resolve("data.json"),
            "[{\"product_image\": \"" + good + "\"}, {\"product_image\": " + cell + "}]");

    assertThatThrownBy(() -> Dataset.read(file, CHAT))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("row 1, column 'product_image': " + message)
        .hasMessageEndingWith("or set spec.dataset.columns.image");
  }

  @Test
  void systemMessageOfARowGoesFirst() throws Exception {
    String image = Base64.getEncoder().encodeToString(PNG);
    Dataset dataset =
        rows(
            Map.of("product_image", image, "product_title", "T", "system_message", "Be brief."),
            Map.of("product_image", image));

    assertThat(messages(dataset, 0).get(0).toString())
        .isEqualTo("{\"role\":\"system\",\"content\":\"Be brief.\"}");
    assertThat(messages(dataset, 0).get(1).get("content").get(0).get("text").asText())
        .isEqualTo("The title of the product is the following:\n```text\nT\n```\n");
    assertThat(messages(dataset, 1)).hasSize(1);
    assertThat(messages(dataset, 1).get(0).get("content")).hasSize(1);
  }

  @Test
  void systemMessageAlsoGoesBeforeText() throws Exception {
    Dataset dataset = rows(Map.of("text", "Hello \"you\"", "system_message", "Be brief."));

    assertThat(messages(dataset, 0).toString())
        .isEqualTo(
            "[{\"role\":\"system\",\"content\":\"Be brief.\"},"
                + "{\"role\":\"user\",\"content\":\"Hello \\\"you\\\"\"}]");
  }

  @Test
  void namedColumnsAreUsed() throws Exception {
    String image = Base64.getEncoder().encodeToString(PNG);
    Path file = write(Map.of("picture", image, "caption", "C", "rules", "R", "text", "not sent"));

    Dataset dataset =
        Dataset.read(file, CHAT.withColumns(columns(null, "picture", "caption", "rules")));

    assertThat(dataset.imageColumn()).contains("picture");
    assertThat(messages(dataset, 0).findValuesAsText("role")).containsExactly("system", "user");
    assertThat(messages(dataset, 0).get(0).get("content").asText()).isEqualTo("R");
  }

  @Test
  void textThatTheRunNamesGoesBeforeMessagesThatAreFound() throws Exception {
    Path file =
        write(Map.of("question", "Q", "messages", List.of(Map.of("role", "user", "content", "M"))));

    Dataset named = Dataset.read(file, CHAT.withColumns(columns("question", null, null, null)));
    Dataset found = Dataset.read(file, CHAT);

    assertThat(named.messages(0)).isEmpty();
    assertThat(named.text(0)).contains("Q");
    assertThat(messages(found, 0).findValuesAsText("content")).containsExactly("M");
  }

  @Test
  void imageThatTheRunNamesGoesBeforeMessagesThatAreFound() throws Exception {
    String image = Base64.getEncoder().encodeToString(PNG);
    Path file =
        write(
            Map.of("picture", image, "messages", List.of(Map.of("role", "user", "content", "M"))));

    Dataset named = Dataset.read(file, CHAT.withColumns(columns(null, "picture", null, null)));

    assertThat(named.messagesColumn()).isEmpty();
    assertThat(messages(named, 0).findValuesAsText("url"))
        .containsExactly("data:image/png;base64," + image);
  }

  @Test
  void messagesAreSentAsTheyAre() throws Exception {
    String json = "[{\"role\": \"user\", \"content\": \"é \\u00e9\"}]";
    Dataset dataset =
        rows(
            Map.of("messages", json),
            Map.of(
                "messages",
                List.of(
                    Map.of("role", "system", "content", "S"),
                    Map.of(
                        "role", "user", "content", List.of(Map.of("type", "text", "text", "x"))))));

    assertThat(new String(dataset.messages(0).orElseThrow().toBytes(), StandardCharsets.UTF_8))
        .isEqualTo(json);
    assertThat(messages(dataset, 1))
        .isEqualTo(
            JSON.readTree(
                "[{\"role\":\"system\",\"content\":\"S\"},"
                    + "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}]"));
  }

  @Test
  void partsWithoutAValueAreLeftOut() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("data.json"),
            "[{\"messages\": [{\"role\": \"user\", \"content\":"
                + " [{\"type\": \"text\", \"text\": \"x\", \"image_url\": null}]}]}]");

    assertThat(messages(Dataset.read(file, CHAT), 0).findValue("content").get(0).toString())
        .isEqualTo("{\"type\":\"text\",\"text\":\"x\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"[{'role': 'user'}]\" | is not JSON",
        "\"[]\" | is a list of 0, not a list of chat messages",
        "\"[1]\" | message 0 is a number (1), not an object with role and content",
        "\"[] []\" | has more after its JSON",
        "[{\"content\": \"x\"}] | message 0 has no role",
        "[{\"role\": \"user\"}] | message 0 has null as content",
        "[{\"role\": \"user\", \"content\": [\"x\"]}] | message 0 has a list of 1 as content",
        "7 | is a number (7), not a list of chat messages",
      })
  void whatAreNoMessagesNamesRowColumnAndCure(String cell, String message) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("data.json"),
            "[{\"messages\": [{\"role\": \"user\", \"content\": \"x\"}]}, {\"messages\": "
                + cell
                + "}]");

    assertThatThrownBy(() -> Dataset.read(file, CHAT))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("row 1, column 'messages': ")
        .hasMessageContaining(message);
  }

  @Test
  void tokenIdsAloneAreNothingToChatAbout() throws Exception {
    assertThatThrownBy(() -> rows(Map.of("tok_input", List.of(1, 2))))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("has no chat prompts: none of its columns 'tok_input'")
        .hasMessageContaining("spec.dataset.columns.messages, image or text");
  }

  @Test
  void messagesAloneAreNoPromptOfACompletion() throws Exception {
    Path file = write(Map.of("messages", List.of(Map.of("role", "user", "content", "M"))));

    assertThatThrownBy(() -> Dataset.read(file, DatasetOptions.DEFAULTS))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("endpointType chat_completions");
  }

  @Test
  void rowWithNothingToSendIsNamed() throws Exception {
    assertThatThrownBy(() -> rows(Map.of("text", "a"), Map.of("text", "")))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("row 1: has neither chat messages nor text");
  }

  @Test
  void titleWithoutAnImageColumnIsAMistake() throws Exception {
    Path file = write(Map.of("text", "a"));

    assertThatThrownBy(
            () -> Dataset.read(file, CHAT.withColumns(columns(null, null, "text", null))))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("set spec.dataset.columns.image");
  }
}
