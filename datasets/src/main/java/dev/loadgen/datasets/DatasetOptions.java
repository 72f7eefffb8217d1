package dev.loadgen.datasets;

import dev.loadgen.contract.DatasetFormat;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanColumnsBuilder;
import io.soabase.recordbuilder.core.RecordBuilder;
import org.jspecify.annotations.Nullable;

/**
 * How to read a dataset file.
 *
 * @param format the format; {@code Auto} tells it from the file's content
 * @param columns columns by their use; where a name is null, the first of the usual ones (such as
 *     {@link Dataset#TEXT_COLUMNS}) that holds what fits
 * @param sha256 the file's SHA-256 in hexadecimal; null: any content
 * @param prompts what each row must have
 */
@RecordBuilder
public record DatasetOptions(
    DatasetFormat format, RunPlan.Columns columns, @Nullable String sha256, Prompts prompts)
    implements DatasetOptionsBuilder.With {
  /** What a run sends of each row. */
  public enum Prompts {
    /** Nothing: the file is only looked at. */
    NONE,
    /** Token ids or text. */
    COMPLETION,
    /** Chat messages, an image with its texts, or text. */
    CHAT
  }

  @SuppressWarnings("NullAway") // the contract's components are nullable without saying so
  private static RunPlan.Columns named(
      @Nullable String text, @Nullable String tokenIds, @Nullable String target) {
    return RunPlanColumnsBuilder.builder().text(text).tokenIds(tokenIds).target(target).build();
  }

  /** The usual columns, the format told by the content, and token ids or text in each row. */
  public static final DatasetOptions DEFAULTS =
      new DatasetOptions(DatasetFormat.Auto, named(null, null, null), null, Prompts.COMPLETION);

  /** What a plan says, for the endpoint that it is sent to. */
  public static DatasetOptions of(RunPlan.Dataset plan, EndpointType endpoint) {
    // the plan comes from JSON, where absent fields are null
    @Nullable DatasetFormat format = plan.format();
    RunPlan.@Nullable Columns columns = plan.columns();
    return new DatasetOptions(
        format == null ? DatasetFormat.Auto : format,
        columns == null ? DEFAULTS.columns : columns,
        plan.sha256(),
        endpoint == EndpointType.chat_completions ? Prompts.CHAT : Prompts.COMPLETION);
  }

  /** With other columns; null: the usual ones. */
  public DatasetOptions withColumns(
      @Nullable String text, @Nullable String tokenIds, @Nullable String target) {
    return withColumns(named(text, tokenIds, target));
  }

  /** Without asking each row for a prompt. */
  public DatasetOptions withoutPrompt() {
    return withPrompts(Prompts.NONE);
  }
}
