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
 * @param bindsPods whether it puts every pod on this node, for want of a scheduler
 * @param firstBackoff wait before a container's first restart; doubles up to {@code maxBackoff}
 */
public record KubeletSettings(
    String nodeName,
    Path stateFolder,
    ImageCatalog images,
    ClaimFolders claims,
    boolean bindsPods,
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
        true,
        Duration.ofSeconds(1),
        Duration.ofSeconds(10),
        Clock.systemUTC());
  }

  /** The same for a cluster that has a scheduler. */
  public KubeletSettings withScheduler() {
    return new KubeletSettings(
        nodeName, stateFolder, images, claims, false, firstBackoff, maxBackoff, clock);
  }
}
