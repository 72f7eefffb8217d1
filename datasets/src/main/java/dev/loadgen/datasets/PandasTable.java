package dev.loadgen.datasets;

import static dev.loadgen.datasets.PickleObjects.invalid;

import dev.loadgen.datasets.PickleObjects.Backed;
import dev.loadgen.datasets.PickleObjects.Block;
import dev.loadgen.datasets.PickleObjects.Blocks;
import dev.loadgen.datasets.PickleObjects.Frame;
import dev.loadgen.datasets.PickleObjects.Index;
import dev.loadgen.datasets.PickleObjects.Masked;
import dev.loadgen.datasets.PickleObjects.Slice;
import dev.loadgen.datasets.TableBuilder.ColumnBuilder;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Makes columns of a DataFrame's blocks. The row index is left out: rows keep their position. */
final class PandasTable {
  private PandasTable() {}

  /** Adds a DataFrame's columns, or the one column of a Series. */
  static void read(Frame frame, TableBuilder table) {
    Blocks blocks = frame.blocks();
    if ("series".equals(frame.get("_typ"))) {
      Object name = frame.get("_name") == null ? frame.get("name") : frame.get("_name");
      if (!PickleValue.isScalar(name)) {
        throw invalid("a Series has a name that is not text");
      }
      if (blocks.blocks().size() != 1) {
        throw invalid("a Series has other than one block");
      }
      add(
          table,
          name == null ? TableBuilder.UNNAMED : String.valueOf(name),
          cells(blocks.blocks().getFirst()),
          0);
      return;
    }
    readFrame(blocks, table);
  }

  private static void readFrame(Blocks blocks, TableBuilder table) {
    String[] names = labels(blocks.axis(0));
    Cells[] cells = new Cells[names.length];
    int[] position = new int[names.length];
    for (Block block : blocks.blocks()) {
      Cells values = cells(block);
      int[] placement = placement(block.placement(), values.columns(), names.length);
      for (int i = 0; i < placement.length; i++) {
        cells[placement[i]] = values;
        position[placement[i]] = i;
      }
    }
    for (int i = 0; i < names.length; i++) {
      Cells values = cells[i];
      if (values == null) {
        throw invalid("column '" + CellWords.brief(names[i]) + "' has no values");
      }
      try {
        add(table, names[i], values, position[i]);
      } catch (InvalidContentException e) {
        throw new InvalidContentException(
            "column '%s': %s".formatted(CellWords.brief(names[i]), e.getMessage()), e);
      }
    }
  }

  private static void add(TableBuilder table, String name, Cells cells, int column) {
    if (cells instanceof TextCells text) {
      table.readOnlyColumn(name, text.chunks().asColumn());
    } else {
      fill(table.column(name), cells.rows(), row -> cells.at(column, row));
    }
  }

  private static void fill(ColumnBuilder column, int rows, IntFunction<@Nullable Object> cells) {
    DatasetBounds.checkRows(rows);
    for (int row = 0; row < rows; row++) {
      column.append(cells.apply(row));
    }
  }

  /** The cells of a block, each as in a table. */
  private interface Cells {
    int columns();

    int rows();

    @Nullable Object at(int column, int row);
  }

  private static Cells cells(Block block) {
    return cells(block.values());
  }

  private static Cells cells(@Nullable Object values) {
    return switch (values) {
      case NumpyArray array when array.dimensions() == 1 || array.dimensions() == 2 ->
          new ArrayCells(array);
      case Backed backed -> {
        Index categories = backed.categories();
        Cells codes = new ArrayCells(backed.values());
        if (categories != null) {
          Cells labels = labelCells(categories);
          Map<Long, Object> known = new HashMap<>(); // a label is held once
          yield new MappedCells(
              codes, code -> known.computeIfAbsent(number(code), n -> category(n, labels)));
        }
        if (backed.isZoned()) {
          // points in time, which pandas keeps in UTC whatever their zone
          yield new MappedCells(codes, time -> time + "Z");
        }
        if (!backed.values().isDatetime() && !backed.values().isObject()) {
          throw invalid("an array of pandas has a type that is not read");
        }
        yield codes;
      }
      case Masked masked -> new ColumnCells(masked.length(), masked::item);
      case PickleArrow.Column column when column.chunks().isText() ->
          new TextCells(column.chunks());
      case PickleArrow.Column column ->
          new ColumnCells(column.chunks().length(), column.chunks()::cell);
      case null, default -> throw invalid("a block has no values");
    };
  }

  /** Columns by rows; an array of one dimension is one column. */
  private record ArrayCells(NumpyArray array) implements Cells {
    @Override
    public int columns() {
      return array.dimensions() == 2 ? array.length() : 1;
    }

    @Override
    public int rows() {
      return array.dimensions() == 2 ? array.width() : array.length();
    }

    @Override
    public @Nullable Object at(int column, int row) {
      return array.dimensions() == 2 ? array.item(column, row, 0) : array.item(row, 0, 0);
    }
  }

  private record ColumnCells(int rows, IntFunction<@Nullable Object> cells) implements Cells {
    @Override
    public int columns() {
      return 1;
    }

    @Override
    public @Nullable Object at(int column, int row) {
      return cells.apply(row);
    }
  }

  /** A column of text that stays as Arrow has it. */
  private record TextCells(ArrowArray.Chunks chunks) implements Cells {
    @Override
    public int columns() {
      return 1;
    }

    @Override
    public int rows() {
      return chunks.length();
    }

    @Override
    public @Nullable Object at(int column, int row) {
      return chunks.cell(row);
    }
  }

  /** Cells whose values stand for others; null stays null. */
  private record MappedCells(Cells cells, Function<Object, @Nullable Object> meaning)
      implements Cells {
    @Override
    public int columns() {
      return cells.columns();
    }

    @Override
    public int rows() {
      return cells.rows();
    }

    @Override
    public @Nullable Object at(int column, int row) {
      Object value = cells.at(column, row);
      return value == null ? null : meaning.apply(value);
    }
  }

  private static long number(Object code) {
    if (code instanceof Long number) {
      return number;
    }
    throw invalid("a categorical column has a code that is not an integer");
  }

  private static @Nullable Object category(long number, Cells labels) {
    if (number >= labels.rows()) {
      throw invalid("a categorical column has a code without a category");
    }
    return number < 0 ? null : labels.at(0, (int) number);
  }

  private static Cells labelCells(Index index) {
    if (index.data() != null) {
      Cells labels = cells(index.data());
      if (labels.columns() == 1) {
        return labels;
      }
    }
    if (index.range() instanceof Slice range) {
      int[] numbers = numbers(range, DatasetBounds.COLUMNS);
      return new Cells() {
        @Override
        public int columns() {
          return 1;
        }

        @Override
        public int rows() {
          return numbers.length;
        }

        @Override
        public Object at(int column, int row) {
          return (long) numbers[row];
        }
      };
    }
    throw invalid("column names or categories are of a kind that is not read; make them text");
  }

  private static String[] labels(@Nullable Object axis) {
    if (!(axis instanceof Index index)) {
      throw invalid("a DataFrame has no column names");
    }
    Cells cells = labelCells(index);
    DatasetBounds.checkColumns(cells.rows());
    String[] labels = new String[cells.rows()];
    for (int i = 0; i < labels.length; i++) {
      Object label = cells.at(0, i);
      if (!PickleValue.isScalar(label)) {
        throw invalid("a column has a name that is not text");
      }
      labels[i] = String.valueOf(label);
    }
    return labels;
  }

  private static int[] placement(@Nullable Object placement, int columns, int all) {
    int[] numbers;
    if (placement instanceof Slice slice) {
      numbers = numbers(slice, all);
    } else if (placement instanceof NumpyArray array && array.dimensions() == 1) {
      numbers = new int[Math.min(array.length(), all)];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] =
            array.item(i, 0, 0) instanceof Long number && number == number.intValue()
                ? number.intValue()
                : -1;
      }
    } else {
      throw invalid("a block has no place");
    }
    if (numbers.length != columns) {
      throw invalid("a block has another number of columns than places");
    }
    for (int number : numbers) {
      if (number < 0 || number >= all) {
        throw invalid("a block has a place beyond the columns");
      }
    }
    return numbers;
  }

  /** The numbers of a range, at most {@code most}. */
  private static int[] numbers(Slice slice, int most) {
    if (!(slice.start() instanceof Long start) || !(slice.stop() instanceof Long stop)) {
      throw invalid("a range has no bounds");
    }
    long step = slice.step() instanceof Long given ? given : 1;
    if (step == 0
        || Math.abs(start) > DatasetBounds.COLUMNS
        || Math.abs(stop) > DatasetBounds.COLUMNS) {
      throw invalid("a range has wrong bounds");
    }
    int[] numbers = new int[most];
    int count = 0;
    for (long number = start; step > 0 ? number < stop : number > stop; number += step) {
      if (count == most) {
        throw invalid("a range is longer than there are columns");
      }
      numbers[count++] = (int) number;
    }
    return Arrays.copyOf(numbers, count);
  }
}
