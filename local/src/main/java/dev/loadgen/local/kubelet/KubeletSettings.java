package dev.loadgen.local.kubelet;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;

/**
 * What a {@link LocalKubelet} needs to know.
 *
 * @param nodeName the node that pods are put on
 * @param stateFolder holds pod folders while pods live, and the logs of containers for good
 * @param images what to run for an image
 * @param claims which folder is a claim's
 * @param firstBackoff wait before a container's first restart; doubles up to {@code maxBackoff}
 */
public record KubeletSettings(
    String nodeName,
    Path stateFolder,
    ImageCatalog images,
    ClaimFolders claims,
    Duration firstBackoff,
    Duration maxBackoff,
    Clock clock) {
  /** Settings with the usual node name and back-offs of 1 s to 10 s. */
  public static KubeletSettings of(Path stateFolder, ImageCatalog images, ClaimFolders claims) {
    return new KubeletSettings(
        "local",
        stateFolder,
        images,
        claims,
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Clock.systemUTC());
  }
}
