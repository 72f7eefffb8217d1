package dev.loadgen.local.controller;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatusBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.Optional;

/**
 * Binds claims: to the volume that {@code spec.volumeName} or a volume's {@code claimRef} names, or
 * else at once, since the kubelet gives such a claim a folder. A claim whose named volume does not
 * exist stays Pending.
 */
final class ClaimController implements Controllers.Running {
  private final KubernetesClient client;
  private final WorkQueue queue = new WorkQueue("claim-controller", this::reconcile);
  private final SharedIndexInformer<PersistentVolumeClaim> claims;
  private final SharedIndexInformer<PersistentVolume> volumes;

  ClaimController(KubernetesClient client) {
    this.client = client;
    this.claims =
        client
            .persistentVolumeClaims()
            .inAnyNamespace()
            .inform(new Changes<>(claim -> queue.add(WorkQueue.Key.of(claim))));
    this.volumes = client.persistentVolumes().inform(new Changes<>(this::volumeChanged));
  }

  private void volumeChanged(PersistentVolume volume) {
    client.persistentVolumeClaims().inAnyNamespace().list().getItems().stream()
        .filter(claim -> names(volume, claim))
        .forEach(claim -> queue.add(WorkQueue.Key.of(claim)));
  }

  private void reconcile(WorkQueue.Key key) {
    PersistentVolumeClaim claim =
        client.persistentVolumeClaims().inNamespace(key.namespace()).withName(key.name()).get();
    if (claim == null
        || (claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase()))) {
      return;
    }
    Optional<PersistentVolume> volume =
        client.persistentVolumes().list().getItems().stream()
            .filter(candidate -> names(candidate, claim))
            .findFirst();
    if (volume.isEmpty() && claim.getSpec().getVolumeName() != null) {
      return; // until the volume comes
    }
    PersistentVolumeClaim bound = claim;
    if (volume.isPresent() && claim.getSpec().getVolumeName() == null) {
      claim.getSpec().setVolumeName(volume.get().getMetadata().getName());
      bound = client.resource(claim).update();
    }
    bound.setStatus(
        new PersistentVolumeClaimStatusBuilder()
            .withPhase("Bound")
            .withAccessModes(bound.getSpec().getAccessModes())
            .withCapacity(
                bound.getSpec().getResources() == null
                    ? null
                    : bound.getSpec().getResources().getRequests())
            .build());
    client.resource(bound).updateStatus();
    volume.ifPresent(
        found -> {
          found.setStatus(new PersistentVolumeStatusBuilder().withPhase("Bound").build());
          client.resource(found).updateStatus();
        });
  }

  private static boolean names(PersistentVolume volume, PersistentVolumeClaim claim) {
    var reference = volume.getSpec().getClaimRef();
    return volume.getMetadata().getName().equals(claim.getSpec().getVolumeName())
        || (reference != null
            && claim.getMetadata().getName().equals(reference.getName())
            && claim.getMetadata().getNamespace().equals(reference.getNamespace()));
  }

  @Override
  public void close() {
    claims.close();
    volumes.close();
    queue.close();
  }
}
