package dev.loadgen.datasets;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Collects the elements of one list: compactly while they are integers that fit into 32 bits, as
 * objects from the first that does not. Can be used again after {@link #build}.
 */
final class ListBuilder {
  private int[] ints = new int[16];
  private int size;
  private @Nullable ArrayList<@Nullable Object> objects;

  void addInt(int value) {
    if (objects != null) {
      add((long) value);
      return;
    }
    if (size == ints.length) {
      DatasetBounds.checkCell(size + 1L);
      ints = Arrays.copyOf(ints, size * 2);
    }
    ints[size++] = value;
  }

  void add(@Nullable Object value) {
    if (objects == null) {
      if (value instanceof Long number && number == number.intValue()) {
        addInt(number.intValue());
        return;
      }
      objects = new ArrayList<>(Math.max(size + 1, 10));
      for (int i = 0; i < size; i++) {
        objects.add((long) ints[i]);
      }
    }
    DatasetBounds.checkCell(objects.size() + 1L);
    objects.add(value);
  }

  /** The list, as {@link Dataset#value} documents it; the builder is empty afterwards. */
  List<?> build() {
    List<?> built;
    if (objects == null) {
      built = IntArray.copyOf(ints, size);
    } else {
      objects.trimToSize();
      built = Collections.unmodifiableList(objects);
    }
    size = 0;
    objects = null;
    return built;
  }
}
