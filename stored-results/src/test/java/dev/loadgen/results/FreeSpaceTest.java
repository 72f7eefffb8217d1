package dev.loadgen.results;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreeSpaceTest {
  private static final long MIB = 1 << 20;

  /** A volume that tells these one after the other; less than -1: it does not answer. */
  private static FreeSpace telling(Long... bytes) {
    Queue<Long> answers = new ArrayDeque<>(List.of(bytes));
    return new FreeSpace(
        () -> {
          long next = answers.remove();
          if (next < -1) {
            throw new IOException("stale handle");
          }
          return next;
        },
        () -> 100 * MIB);
  }

  @Test
  void zeroIsUnknownUntilMoreWasTold() {
    FreeSpace space = telling(0L, 0L, 0L);
    assertThat(space.now()).isEmpty();
    assertThat(space.isUsedUp()).isFalse();
    assertThat(space.describe()).isEqualTo("the free space of its volume is not known");

    FreeSpace full = telling(50 * MIB, 0L, 0L);
    assertThat(full.now()).hasValue(50 * MIB);
    assertThat(full.isUsedUp()).isTrue();
    assertThat(full.describe())
        .isEqualTo("its volume has 0 MiB of 100 MiB free, and had 0 MiB at the least");
  }

  @Test
  void aVolumeThatDoesNotAnswerIsNotFull() {
    FreeSpace space = telling(50 * MIB, -2L, -1L, 49 * MIB, 60 * MIB);

    assertThat(space.now()).hasValue(50 * MIB);
    assertThat(space.isUsedUp()).isFalse();
    assertThat(space.now()).isEmpty();
    assertThat(space.isUsedUp()).isFalse();
    assertThat(space.describe())
        .isEqualTo("its volume has 60 MiB of 100 MiB free, and had 49 MiB at the least");
  }

  @Test
  void aRestThatHoldsNothingIsUsedUp() {
    FreeSpace space = telling(MIB, MIB - 1);

    assertThat(space.isUsedUp()).isFalse();
    assertThat(space.isUsedUp()).isTrue();
  }

  @Test
  void aVolumeThatNobodyListsIsUnknown() {
    assertThat(new FreeSpace(null, null).now()).isEmpty();
    assertThat(new FreeSpace(null, null).isUsedUp()).isFalse();
  }

  @Test
  void thatOfAFolderIsTold(@TempDir Path folder) {
    assertThat(FreeSpace.of(folder).now().orElseThrow()).isPositive();
    assertThat(FreeSpace.of(folder.resolve("absent")).now()).isEmpty();
  }
}
