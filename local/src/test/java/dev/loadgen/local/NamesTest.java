package dev.loadgen.local;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** A name means one thing in the whole project, so that it can be said without its package. */
class NamesTest {
  /** Entry points, which are told apart by their modules. */
  private static final String ENTRY_POINT = "Main";

  /** LoadGen's own word. */
  private static final String LOADGEN_TERM = "SystemUnderTest";

  private static final List<JavaClass> TYPES =
      new ClassFileImporter()
              .withImportOption(new ImportOption.DoNotIncludeTests())
              .withImportOption(location -> !location.contains("-tests.jar"))
              .importPackages("dev.loadgen")
              .stream()
              .filter(JavaClass::isTopLevelClass)
              .filter(type -> !type.getSimpleName().equals("package-info"))
              .toList();

  @Test
  void noNameStandsForTwoTypes() {
    Map<String, SortedSet<String>> byName =
        TYPES.stream()
            .filter(type -> !type.getSimpleName().equals(ENTRY_POINT))
            .collect(
                groupingBy(
                    JavaClass::getSimpleName,
                    TreeMap::new,
                    mapping(JavaClass::getPackageName, toCollection(TreeSet::new))));
    byName.values().removeIf(packages -> packages.size() == 1);

    assertThat(byName).isEmpty();
  }

  @Test
  void onlyTestsAreCalledTests() {
    assertThat(TYPES.stream().map(JavaClass::getSimpleName))
        .filteredOn(name -> name.endsWith("Test"))
        .containsExactly(LOADGEN_TERM);
  }
}
