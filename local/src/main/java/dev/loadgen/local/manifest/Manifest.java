package dev.loadgen.local.manifest;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;

/**
 * One object that a user wrote.
 *
 * @param namespace empty for kinds without one
 * @param object with the schema's defaults filled in, as an API server would
 */
public record Manifest(Path file, String kind, String namespace, String name, ObjectNode object) {
  /** How messages name it: {@code FILE: KIND/NAME}. */
  public String title() {
    return file + ": " + kind + "/" + name;
  }
}
