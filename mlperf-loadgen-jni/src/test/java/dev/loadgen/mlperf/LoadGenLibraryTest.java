package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LoadGenLibraryTest {

  @Test
  void platformsAreNamedAsTheBuildNamesThem() throws LoadGenUnavailableException {
    assertThat(LoadGenLibrary.platform("Linux", "amd64")).isEqualTo("linux-x86_64");
    assertThat(LoadGenLibrary.platform("Linux", "aarch64")).isEqualTo("linux-aarch64");
  }

  @Test
  void otherSystemsAreRefusedByName() {
    assertThatThrownBy(() -> LoadGenLibrary.platform("Mac OS X", "aarch64"))
        .hasMessageContaining("Mac OS X");
  }

  @Test
  void jarCarriesLicenceAndNotice() {
    assertThat(LoadGenLibrary.class.getResource("/META-INF/LICENSE")).isNotNull();
    assertThat(LoadGenLibrary.class.getResource("/META-INF/NOTICE")).isNotNull();
  }

  @Test
  void aLineOfTheListMustBeWhole() {
    assertThat(LoadGenBuild.parse("7.0.1,abc,v7.0 v7.1").toString())
        .isEqualTo("7.0.1 (v7.0, v7.1)");
    assertThatThrownBy(() -> LoadGenBuild.parse("7.0.1,abc"))
        .hasMessageContaining("versions.csv", "VERSION,SHA256,RULESETS", "7.0.1,abc");
  }
}
