package dev.loadgen.api.v1alpha1;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;

/**
 * Makes a list a map for server-side apply, so that owners of single entries do not replace the
 * whole list; the generator has no annotation for it. Input: {@code list:key}.
 */
public final class ListMapCustomizer implements SchemaCustomizer.Customizer {
  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization unused) {
    String[] listAndKey = input.split(":", 2);
    JSONSchemaProps list = schema.getProperties().get(listAndKey[0]);
    list.setXKubernetesListType("map");
    list.setXKubernetesListMapKeys(List.of(listAndKey[1]));
    list.getItems().getSchema().setRequired(List.of(listAndKey[1], "status"));
    return schema;
  }
}
