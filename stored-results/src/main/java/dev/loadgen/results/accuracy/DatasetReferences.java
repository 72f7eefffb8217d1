package dev.loadgen.results.accuracy;

import dev.loadgen.accuracy.input.References;
import dev.loadgen.datasets.Dataset;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

record DatasetReferences(Dataset dataset) implements References {
  @Override
  public int size() {
    return dataset.size();
  }

  @Override
  public List<String> columns() {
    return dataset.columns();
  }

  @Override
  public Optional<String> targetColumn() {
    return dataset.targetColumn();
  }

  @Override
  public @Nullable Object value(String column, int row) {
    return dataset.value(column, row);
  }
}
