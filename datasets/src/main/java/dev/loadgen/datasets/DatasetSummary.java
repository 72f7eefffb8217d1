package dev.loadgen.datasets;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.loadgen.contract.DatasetFormat;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a dataset holds, without its values.
 *
 * @param sha256 of the file as it is on disk
 * @param md5 of the same, as MLCommons publishes it of its datasets
 * @param tokens lengths of the prompts; null: no row says how many tokens it has
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record DatasetSummary(
    String file,
    DatasetFormat format,
    String sha256,
    String md5,
    int rows,
    List<Column> columns,
    @Nullable Tokens tokens) {
  /**
   * A column.
   *
   * @param type {@code integer}, {@code number}, {@code boolean}, {@code text}, {@code bytes},
   *     {@code object}, {@code list of ...}, several of them with {@code or} between, or {@code
   *     null} where no row has a value
   * @param nulls rows without a value
   * @param use what the runner takes it for: {@code text}, {@code tokenIds}, {@code inputLength},
   *     {@code target}, {@code messages} or {@code image}; null: nothing by itself
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Column(String name, String type, int nulls, @Nullable String use) {}

  /**
   * Numbers of tokens of prompts. A percentile is the smallest length that at least this share of
   * the rows does not exceed.
   *
   * @param column that holds the tokens, or their number
   * @param rows that have tokens
   */
  public record Tokens(
      String column,
      int rows,
      long total,
      int min,
      double mean,
      int p50,
      int p90,
      int p99,
      int max) {}

  /** Looks at all rows. */
  public static DatasetSummary of(Dataset dataset) {
    Map<String, String> uses = new LinkedHashMap<>();
    dataset.textColumn().ifPresent(name -> uses.put(name, "text"));
    dataset.tokenIdsColumn().ifPresent(name -> uses.put(name, "tokenIds"));
    dataset.inputLengthColumn().ifPresent(name -> uses.put(name, "inputLength"));
    dataset.targetColumn().ifPresent(name -> uses.put(name, "target"));
    dataset.messagesColumn().ifPresent(name -> uses.put(name, "messages"));
    dataset.imageColumn().ifPresent(name -> uses.put(name, "image"));
    List<Column> columns = new ArrayList<>();
    for (String name : dataset.columns()) {
      Set<String> types = new TreeSet<>();
      int nulls = 0;
      for (int row = 0; row < dataset.size(); row++) {
        Object value = dataset.value(name, row);
        if (value == null) {
          nulls++;
        } else {
          types.add(type(value));
        }
      }
      columns.add(new Column(name, joined(types), nulls, uses.get(name)));
    }
    return new DatasetSummary(
        dataset.file().toString(),
        dataset.format(),
        dataset.sha256(),
        dataset.md5(),
        dataset.size(),
        List.copyOf(columns),
        tokens(dataset));
  }

  private static String joined(Set<String> types) {
    return types.isEmpty() ? "null" : String.join(" or ", types);
  }

  private static String type(Object value) {
    return switch (value) {
      case Boolean flag -> "boolean";
      case Double number -> "number";
      case Number integer -> "integer";
      case String text -> "text";
      case ByteBuffer bytes -> "bytes";
      case Map<?, ?> object -> "object";
      case IntArray ids -> ids.isEmpty() ? "list" : "list of integer";
      case List<?> list -> {
        Set<String> types = new TreeSet<>();
        for (Object element : list) {
          types.add(element == null ? "null" : type(element));
        }
        yield types.isEmpty() ? "list" : "list of " + joined(types);
      }
      default -> throw new IllegalStateException("no kind of cell: " + value.getClass());
    };
  }

  private static @Nullable Tokens tokens(Dataset dataset) {
    int[] lengths = new int[dataset.size()];
    int count = 0;
    long total = 0;
    for (int row = 0; row < dataset.size(); row++) {
      OptionalInt tokens = dataset.tokenCount(row);
      if (tokens.isPresent()) {
        lengths[count++] = tokens.getAsInt();
        total += tokens.getAsInt();
      }
    }
    String column = dataset.tokenIdsColumn().or(dataset::inputLengthColumn).orElse(null);
    if (count == 0 || column == null) {
      return null;
    }
    int[] sorted = Arrays.copyOf(lengths, count);
    Arrays.sort(sorted);
    return new Tokens(
        column,
        count,
        total,
        sorted[0],
        (double) total / count,
        percentile(sorted, 50),
        percentile(sorted, 90),
        percentile(sorted, 99),
        sorted[count - 1]);
  }

  private static int percentile(int[] sorted, int percent) {
    long rank = ((long) sorted.length * percent + 99) / 100;
    return sorted[(int) rank - 1];
  }
}
