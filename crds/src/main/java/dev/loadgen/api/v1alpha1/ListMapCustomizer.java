package dev.loadgen.api.v1alpha1;

import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;

/**
 * Makes a list a map for server-side apply, so that owners of single entries do not replace the
 * whole list; the generator has no annotation for it. Input: {@code list:key,field...}, where all
 * fields are required of an entry.
 */
public final class ListMapCustomizer implements SchemaCustomizer.Customizer {
  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization unused) {
    String[] listAndFields = input.split(":", 2);
    List<String> fields = List.of(listAndFields[1].split(",", -1));
    JSONSchemaProps list = schema.getProperties().get(listAndFields[0]);
    list.setXKubernetesListType("map");
    list.setXKubernetesListMapKeys(fields.subList(0, 1));
    list.getItems().getSchema().setRequired(fields);
    return schema;
  }
}
