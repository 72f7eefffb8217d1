package dev.loadgen.contract;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EngineProfileTest {
  private static final EngineProfile LEAST = EngineProfile.of(Engine.openai);

  @ParameterizedTest
  @EnumSource(Engine.class)
  void eachEngineHasAtLeastWhatOpenAisApiHas(Engine engine) {
    EngineProfile profile = EngineProfile.of(engine);

    assertThat(profile.routes()).containsAll(LEAST.routes());
    for (EndpointType route : LEAST.routes()) {
      assertThat(profile.guidedFields(route)).containsAll(LEAST.guidedFields(route));
    }
  }

  @ParameterizedTest
  @EnumSource(Engine.class)
  void whatARouteHasIsSaidOfRoutesThatAreThere(Engine engine) {
    EngineProfile profile = EngineProfile.of(engine);

    assertThat(profile.routes()).contains(engine.defaultEndpointType());
    assertThat(profile.routes()).containsAll(profile.tokenIdRoutes());
    assertThat(profile.routes()).containsAll(profile.batchRoutes());
  }
}
