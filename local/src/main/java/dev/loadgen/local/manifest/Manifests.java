package dev.loadgen.local.manifest;

import java.util.List;
import java.util.stream.Stream;

/**
 * What was read.
 *
 * @param objects in an order in which they can be created
 * @param notes things that the user should know and that stop nothing
 * @param problems things that the user must correct; nothing may be started while there are any
 */
public record Manifests(List<Manifest> objects, List<String> notes, List<String> problems) {
  /** The objects of one kind. */
  public Stream<Manifest> ofKind(String kind) {
    return objects.stream().filter(object -> object.kind().equals(kind));
  }
}
