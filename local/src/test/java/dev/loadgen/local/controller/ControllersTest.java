package dev.loadgen.local.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.loadgen.local.EmbeddedCluster;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatusBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ControllersTest {
  private EmbeddedCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = EmbeddedCluster.start(Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void aStatefulSetHasAPodForEachOrdinalWithAHostName() {
    create(statefulSet(2, "image"));

    List<Pod> pods = awaitPods(2);

    assertThat(pods).extracting(pod -> pod.getMetadata().getName()).containsExactly("s-0", "s-1");
    assertThat(pods.get(1).getSpec().getHostname()).isEqualTo("s-1");
    assertThat(pods.get(1).getSpec().getSubdomain()).isEqualTo("service");
    assertThat(pods.get(1).getMetadata().getLabels()).containsEntry("app", "s");
  }

  @Test
  void aStatefulSetCountsItsReadyPods() {
    create(statefulSet(2, "image"));
    awaitPods(2);

    ready("s-1");

    await().until(() -> Integer.valueOf(1).equals(set().getStatus().getReadyReplicas()));
  }

  @Test
  void aStatefulSetReplacesPodsThatAreGone() {
    create(statefulSet(1, "image"));
    String first = awaitPods(1).getFirst().getMetadata().getUid();

    client().pods().inNamespace("default").withName("s-0").delete();

    await().until(() -> awaitPods(1).getFirst(), pod -> !pod.getMetadata().getUid().equals(first));
  }

  @Test
  void aStatefulSetReplacesPodsOfAnOldTemplateAndRemovesExtraOnes() {
    create(statefulSet(2, "image"));
    awaitPods(2);

    client()
        .apps()
        .statefulSets()
        .inNamespace("default")
        .withName("s")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            Serialization.asJson(
                new StatefulSetBuilder().withSpec(statefulSet(1, "newer").getSpec()).build()));

    await()
        .until(
            () -> client().pods().inNamespace("default").list().getItems(),
            pods ->
                pods.size() == 1
                    && pods.getFirst()
                        .getSpec()
                        .getContainers()
                        .getFirst()
                        .getImage()
                        .equals("newer"));
  }

  @Test
  void aJobIsCompleteWhenItsPodHasSucceeded() {
    create(job());
    Pod pod = awaitPods(1).getFirst();
    assertThat(pod.getMetadata().getLabels()).containsEntry("job-name", "j");

    phase(pod.getMetadata().getName(), "Succeeded");

    assertThat(awaitEnd()).isEqualTo("Complete CompletionsReached");
  }

  @Test
  void aJobFailsWithItsPodWhenThereIsNoBackoff() {
    create(job());

    phase(awaitPods(1).getFirst().getMetadata().getName(), "Failed");

    assertThat(awaitEnd()).isEqualTo("Failed BackoffLimitExceeded");
    assertThat(client().pods().inNamespace("default").list().getItems()).hasSize(1);
  }

  @Test
  void aJobStartsAgainWithinItsBackoffLimit() {
    Job job = job();
    job.getSpec().setBackoffLimit(1);
    create(job);

    phase(awaitPods(1).getFirst().getMetadata().getName(), "Failed");
    List<Pod> pods = awaitPods(2);
    phase(pods.get(1).getMetadata().getName(), "Succeeded");

    assertThat(awaitEnd()).isEqualTo("Complete CompletionsReached");
  }

  @Test
  void aJobFailsWhenSomebodyDeletesItsPod() {
    create(job());
    String pod = awaitPods(1).getFirst().getMetadata().getName();
    await().until(() -> jobStatus().getActive() != null);

    client().pods().inNamespace("default").withName(pod).delete();

    assertThat(awaitEnd()).isEqualTo("Failed BackoffLimitExceeded");
  }

  @Test
  void aJobIsEndedAtItsDeadline() {
    Job job = job();
    job.getSpec().setActiveDeadlineSeconds(1L);
    create(job);

    assertThat(awaitEnd()).isEqualTo("Failed DeadlineExceeded");
    await().until(() -> client().pods().inNamespace("default").list().getItems().isEmpty());
  }

  @Test
  void aClaimIsBoundToTheVolumeThatNamesIt() {
    create(
        new PersistentVolumeBuilder()
            .withNewMetadata()
            .withName("pv")
            .endMetadata()
            .withNewSpec()
            .withNewClaimRef()
            .withName("c")
            .withNamespace("default")
            .endClaimRef()
            .endSpec()
            .build());
    create(claim("c", null));

    await()
        .until(
            () -> client().persistentVolumeClaims().inNamespace("default").withName("c").get(),
            claim -> claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase()));

    assertThat(
            client()
                .persistentVolumeClaims()
                .inNamespace("default")
                .withName("c")
                .get()
                .getSpec()
                .getVolumeName())
        .isEqualTo("pv");
  }

  @Test
  void whatAnObjectOwnsGoesWithItAndSoDoesWhatThatOwns() {
    HasMetadata owner = create(map("owner"));
    HasMetadata child = map("child");
    child.getMetadata().setOwnerReferences(List.of(Owners.controller(owner)));
    child = create(child);
    HasMetadata grandchild = map("grandchild");
    grandchild.getMetadata().setOwnerReferences(List.of(Owners.controller(child)));
    create(grandchild);
    create(map("stranger"));

    client().configMaps().inNamespace("default").withName("owner").delete();

    await()
        .untilAsserted(
            () ->
                assertThat(client().configMaps().inNamespace("default").list().getItems())
                    .extracting(map -> map.getMetadata().getName())
                    .containsExactly("stranger"));
  }

  @Test
  void whatIsMadeForAnOwnerThatIsGoneIsRemoved() {
    HasMetadata owner = create(map("owner"));
    client().configMaps().inNamespace("default").withName("owner").delete();
    create(map("owner")); // another of that name, which owns nothing
    HasMetadata late = map("late");
    late.getMetadata().setOwnerReferences(List.of(Owners.controller(owner)));

    create(late);

    await()
        .until(() -> client().configMaps().inNamespace("default").withName("late").get() == null);
    assertThat(client().configMaps().inNamespace("default").withName("owner").get()).isNotNull();
  }

  private static HasMetadata map(String name) {
    return new ConfigMapBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .endMetadata()
        .build();
  }

  private static HasMetadata claim(String name, @org.jspecify.annotations.Nullable String volume) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withNewSpec()
        .withVolumeName(volume)
        .endSpec()
        .build();
  }

  private static StatefulSet statefulSet(int replicas, String image) {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName("s")
        .endMetadata()
        .withNewSpec()
        .withReplicas(replicas)
        .withServiceName("service")
        .withNewTemplate()
        .withNewMetadata()
        .addToLabels(Map.of("app", "s"))
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withImage(image)
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static Job job() {
    return new JobBuilder()
        .withNewMetadata()
        .withName("j")
        .endMetadata()
        .withNewSpec()
        .withBackoffLimit(0)
        .withNewTemplate()
        .withNewSpec()
        .withRestartPolicy("Never")
        .addNewContainer()
        .withName("main")
        .withImage("image")
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private HasMetadata create(HasMetadata object) {
    return client().resource(object).create();
  }

  private StatefulSet set() {
    return client().apps().statefulSets().inNamespace("default").withName("s").get();
  }

  private io.fabric8.kubernetes.api.model.batch.v1.JobStatus jobStatus() {
    return client()
        .batch()
        .v1()
        .jobs()
        .inNamespace("default")
        .withName("j")
        .waitUntilCondition(
            job -> job.getStatus() != null, 5, java.util.concurrent.TimeUnit.SECONDS)
        .getStatus();
  }

  private String awaitEnd() {
    JobCondition end =
        await()
            .atMost(Duration.ofSeconds(10))
            .until(() -> jobStatus().getConditions(), conditions -> !conditions.isEmpty())
            .getFirst();
    assertThat(Instant.parse(end.getLastTransitionTime())).isBefore(Instant.now().plusSeconds(1));
    return end.getType() + " " + end.getReason();
  }

  private List<Pod> awaitPods(int count) {
    return await()
        .until(
            () -> client().pods().inNamespace("default").list().getItems(),
            pods -> pods.size() == count);
  }

  private void phase(String name, String phase) {
    client()
        .pods()
        .inNamespace("default")
        .withName(name)
        .editStatus(
            pod -> {
              pod.setStatus(new PodStatusBuilder().withPhase(phase).build());
              return pod;
            });
  }

  private void ready(String name) {
    client()
        .pods()
        .inNamespace("default")
        .withName(name)
        .editStatus(
            pod -> {
              pod.setStatus(
                  new PodStatusBuilder()
                      .withPhase("Running")
                      .addNewCondition()
                      .withType("Ready")
                      .withStatus("True")
                      .endCondition()
                      .build());
              return pod;
            });
  }

  private KubernetesClient client() {
    return cluster.client();
  }
}
