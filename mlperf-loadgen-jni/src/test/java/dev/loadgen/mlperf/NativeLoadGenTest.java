package dev.loadgen.mlperf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class NativeLoadGenTest {

  @Test
  void platformsAreNamedAsTheBuildNamesThem() {
    assertThat(NativeLoadGen.platform("Linux", "amd64")).isEqualTo("linux-x86_64");
    assertThat(NativeLoadGen.platform("Linux", "aarch64")).isEqualTo("linux-aarch64");
  }

  @Test
  void otherSystemsAreRefusedByName() {
    assertThatThrownBy(() -> NativeLoadGen.platform("Mac OS X", "aarch64"))
        .hasMessageContaining("Mac OS X");
  }

  @Test
  void jarCarriesLicenceAndNotice() {
    assertThat(NativeLoadGen.class.getResource("/META-INF/LICENSE")).isNotNull();
    assertThat(NativeLoadGen.class.getResource("/META-INF/NOTICE")).isNotNull();
  }
}
