package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * Lets the API server show a status that nobody has written yet, by an {@code observedGeneration}
 * of no object. kstatus takes an object without a status for done.
 */
public final class UnobservedCustomizer implements SchemaCustomizer.Customizer {
  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization unused) {
    schema
        .getProperties()
        .get("status")
        .setDefault(
            JsonNodeFactory.instance
                .objectNode()
                .put("observedGeneration", Generations.UNOBSERVED));
    return schema;
  }
}
