package dev.loadgen.runner.dataset;

import dev.loadgen.api.v1alpha1.DatasetFormat;
import dev.loadgen.contract.RunPlan;
import org.jspecify.annotations.Nullable;

/**
 * How to read a dataset file.
 *
 * @param format the format; {@code Auto} tells it from the file's content
 * @param textColumn column with the prompt as text; null: the first of {@link Dataset#TEXT_COLUMNS}
 *     that holds text
 * @param tokenIdsColumn column with the prompt as token ids; null: the first of {@link
 *     Dataset#TOKEN_IDS_COLUMNS} that holds lists
 * @param targetColumn column with the reference answer; null: the first of {@link
 *     Dataset#TARGET_COLUMNS}
 * @param sha256 the file's SHA-256 in hexadecimal; null: any content
 * @param promptRequired whether each row must have a prompt, as text or as token ids; false to look
 *     at a file, or where a benchmark makes its prompts from other columns
 */
public record DatasetOptions(
    DatasetFormat format,
    @Nullable String textColumn,
    @Nullable String tokenIdsColumn,
    @Nullable String targetColumn,
    @Nullable String sha256,
    boolean promptRequired) {

  /** The usual columns, the format told by the content, and a prompt in each row. */
  public static final DatasetOptions DEFAULTS =
      new DatasetOptions(DatasetFormat.Auto, null, null, null, null, true);

  /** What a plan says. */
  public static DatasetOptions of(RunPlan.Dataset plan) {
    // the plan comes from JSON, where absent fields are null
    @Nullable DatasetFormat format = plan.format();
    RunPlan.@Nullable Columns columns = plan.columns();
    return new DatasetOptions(
        format == null ? DatasetFormat.Auto : format,
        columns == null ? null : columns.text(),
        columns == null ? null : columns.tokenIds(),
        columns == null ? null : columns.target(),
        plan.sha256(),
        true);
  }

  /** With another format. */
  public DatasetOptions withFormat(DatasetFormat other) {
    return new DatasetOptions(
        other, textColumn, tokenIdsColumn, targetColumn, sha256, promptRequired);
  }

  /** With other columns; null: the usual ones. */
  public DatasetOptions withColumns(
      @Nullable String text, @Nullable String tokenIds, @Nullable String target) {
    return new DatasetOptions(format, text, tokenIds, target, sha256, promptRequired);
  }

  /** With a checksum. */
  public DatasetOptions withSha256(String hexadecimal) {
    return new DatasetOptions(
        format, textColumn, tokenIdsColumn, targetColumn, hexadecimal, promptRequired);
  }

  /** Without asking each row for a prompt. */
  public DatasetOptions withoutPrompt() {
    return new DatasetOptions(format, textColumn, tokenIdsColumn, targetColumn, sha256, false);
  }
}
