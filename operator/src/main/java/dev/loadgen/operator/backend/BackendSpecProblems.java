package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.Bounds;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.DeviceClaim;
import dev.loadgen.api.v1alpha1.NameRules;
import dev.loadgen.contract.Durations;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.contract.Urls;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.PodTemplates;
import dev.loadgen.desired.Problems;
import dev.loadgen.desired.Profilers;
import dev.loadgen.desired.ServerCommand;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.reconcile.status.Unreadable;
import io.fabric8.kubernetes.api.model.EnvVar;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What is wrong with a backend's spec. Rules of the CRD are here once more where a backend that was
 * stored before there was the rule would be other servers than it says; and the rules that CEL
 * cannot say.
 */
public final class BackendSpecProblems {
  /** The end of a URL that requests go to, which is not its base. */
  private static final Pattern ROUTE =
      Pattern.compile("/(v1/models|(chat/)?completions|generate|health|metrics)/*$");

  private BackendSpecProblems() {}

  /** All problems; empty if there are none. */
  public static List<String> of(InferenceBackend backend) {
    InferenceBackendSpec spec = backend.getSpec();
    if (spec == null) {
      return List.of("spec: is missing");
    }
    List<String> unreadable = Unreadable.ofSpec(backend.getUnreadable());
    if (!unreadable.isEmpty()) {
      return unreadable; // what is left of the spec is not what was asked for
    }
    Problems problems = new Problems();
    String name = backend.getMetadata().getName();
    problems.check(
        name.length() > NameRules.BACKEND_LENGTH || !Names.isDnsLabel(name),
        NameRules.BACKEND_WORDS);
    problems.required("spec.engine", spec.engine());
    problems.required("spec.model", spec.model());
    if (spec.model() != null) {
      problems.required("spec.model.name", spec.model().name());
    }
    if (!problems.all().isEmpty()) {
      return problems.all();
    }
    problems.check(
        spec.external() != null
            && (spec.image() != null || spec.gpus() != null || spec.args() != null),
        "spec.external points at servers that are not ours: remove image, gpus and args, or remove external");
    problems.check(
        spec.endpointType() != null
            && !EngineProfile.of(spec.engine()).routes().contains(spec.endpointType()),
        "spec.endpointType: generate is a route of SGLang; use completions or chat_completions");
    problems.check(
        spec.engine().externalOnly() && spec.external() == null,
        "spec.engine: the operator cannot start servers of openai; name running ones in spec.external.urls and remove image, gpus and args, or set engine to vllm or sglang");
    if (spec.engine().externalOnly() && spec.external() == null) {
      return problems.all(); // the rest is about what the operator would start
    }
    problems.check(
        spec.port() != null && (spec.port() < 1 || spec.port() > 65535),
        "spec.port: must be 1 to 65535, not " + spec.port());
    problems.bounded("spec.replicas", spec.replicas(), 1, Bounds.REPLICAS);
    problems.duration("spec.startupTimeout", spec.startupTimeout());
    problems.durationOrZero("spec.idleTimeout", spec.idleTimeout());
    heartbeat(problems, spec);
    problems.check(
        spec.external() != null && spec.onDemand(),
        "spec.lifecycle: servers that are not ours cannot be OnDemand; remove lifecycle, or remove external");
    model(problems, spec.model());
    environment(problems, spec.env());
    problems.check(
        spec.external() != null && spec.queueName() != null,
        "spec.scheduling.queueName: external servers do not wait in a queue; remove it, or external");
    problems.matches("spec.scheduling.queueName", spec.queueName(), Names.QUEUE, Names.QUEUE_WORDS);
    gpus(problems, spec);
    multiNode(problems, spec, name);
    engineConfig(problems, spec.engineConfig());
    external(problems, spec.external());
    access(problems, spec);
    profiling(problems, spec);
    problems.check(
        spec.external() != null && spec.podTemplate() != null,
        "spec.podTemplate: external servers have no pods to configure; remove it, or external");
    // The template is merged over ours, which can be made of a spec without problems only.
    return problems.all().isEmpty() ? PodTemplates.problems(backend) : problems.all();
  }

  private static void heartbeat(Problems problems, InferenceBackendSpec spec) {
    InferenceBackendSpec.Heartbeat heartbeat = spec.heartbeat();
    if (heartbeat == null) {
      return;
    }
    problems.duration("spec.heartbeat.timeout", heartbeat.timeout());
    problems.durationOrZero("spec.heartbeat.interval", heartbeat.interval());
    String interval = heartbeat.interval();
    problems.check(
        interval != null
            && Durations.isDuration(interval)
            && Durations.parse("spec.heartbeat.interval", interval).toMillis() < 1_000,
        "spec.heartbeat.interval: must be at least 1s");
  }

  private static void environment(Problems problems, @Nullable List<EnvVar> variables) {
    for (int i = 0; variables != null && i < variables.size(); i++) {
      problems.required("spec.env[" + i + "].name", variables.get(i).getName());
    }
  }

  private static void model(Problems problems, InferenceBackendSpec.Model model) {
    problems.check(
        model.name().startsWith("-"),
        "spec.model.name: must not begin with a dash, which engines take for an option");
    InferenceBackendSpec.VolumePath claim = model.claim();
    problems.check(
        claim != null && model.revision() != null,
        "spec.model.revision is of the Hugging Face hub: remove it, or remove claim");
    if (claim != null) {
      problems.required("spec.model.claim.claimName", claim.claimName());
      problems.check(
          claim.path() == null || List.of(claim.path().split("/", -1)).contains(".."),
          "spec.model.claim.path: must be a path that stays below the root of the volume");
    }
    if (model.tokenSecretRef() != null) {
      problems.required("spec.model.tokenSecretRef.name", model.tokenSecretRef().name());
    }
  }

  private static void gpus(Problems problems, InferenceBackendSpec spec) {
    InferenceBackendSpec.Parallelism split = spec.parallelism();
    if (split != null) {
      problems.bounded("spec.parallelism.tensor", split.tensor(), 1, Bounds.PARALLEL);
      problems.bounded("spec.parallelism.pipeline", split.pipeline(), 1, Bounds.PARALLEL);
      problems.bounded("spec.parallelism.data", split.data(), 1, Bounds.PARALLEL);
    }
    InferenceBackendSpec.Gpus gpus = spec.gpus();
    if (gpus == null) {
      return;
    }
    problems.required("spec.gpus.count", gpus.count());
    problems.bounded("spec.gpus.count", gpus.count(), 1, Bounds.GPUS);
    if (gpus.count() == null) {
      return;
    }
    if (split != null && spec.multiNode() == null) {
      long needed = (long) orOne(split.tensor()) * orOne(split.pipeline());
      problems.check(
          needed > gpus.count(),
          "spec.parallelism: tensor x pipeline must not exceed spec.gpus.count, the GPUs of one server");
    }
    problems.check(
        gpus.resourceClaims() != null && (gpus.resource() != null || gpus.product() != null),
        "spec.gpus.resourceClaims say by themselves which devices they take: remove resource and product, or remove resourceClaims");
    deviceClaims(problems, gpus.resourceClaims());
    problems.check(
        gpus.product() != null
            && gpus.resourceClaims() == null
            && ServerWorkloads.productLabel(ServerWorkloads.gpuResource(gpus)) == null,
        "spec.gpus.product: the product's node label is known for nvidia.com and amd.com only; use spec.scheduling.nodeSelector");
  }

  private static void multiNode(Problems problems, InferenceBackendSpec spec, String name) {
    if (spec.multiNode() == null) {
      return;
    }
    problems.required("spec.multiNode.nodes", spec.multiNode().nodes());
    problems.bounded("spec.multiNode.nodes", spec.multiNode().nodes(), 2, Bounds.NODES);
    problems.check(
        spec.gpus() == null || spec.external() != null,
        "spec.multiNode: servers of ours span nodes for the GPUs of each: set gpus and remove external, or remove multiNode");
    problems.check(
        spec.portOrDefault() == ServerCommand.RENDEZVOUS_PORT,
        "spec.port: at "
            + ServerCommand.RENDEZVOUS_PORT
            + " the nodes of one server meet; choose another");
    // Pods carry the name of their StatefulSet and a hash as a label; workers' is the server's.
    String longest = Names.server(name, Math.max(1, spec.replicasOrDefault()) - 1);
    problems.check(
        longest.length() > NameRules.BACKEND_LENGTH,
        "metadata.name: with spec.multiNode must have "
            + (longest.length() - NameRules.BACKEND_LENGTH)
            + " characters less, since each server has a StatefulSet of its own name");
    InferenceBackendSpec.Parallelism split = spec.parallelism();
    if (split == null
        || spec.multiNode().nodes() == null
        || spec.gpus() == null
        || spec.gpus().count() == null) {
      return;
    }
    long all = (long) spec.gpus().count() * spec.multiNode().nodes();
    problems.check(
        split.tensor() == null
            ? all % Math.max(1, orOne(split.pipeline())) != 0
            : (long) split.tensor() * orOne(split.pipeline()) != all,
        "spec.parallelism: tensor x pipeline must be spec.gpus.count x spec.multiNode.nodes, the GPUs of one server");
    problems.check(
        orOne(split.data()) != 1,
        "spec.parallelism.data: servers that span nodes split the model by tensor and pipeline alone; remove data");
  }

  private static void deviceClaims(Problems problems, @Nullable List<DeviceClaim> claims) {
    if (claims == null) {
      return;
    }
    problems.check(
        claims.isEmpty(), "spec.gpus.resourceClaims: name at least one claim, or remove it");
    Set<String> names = new HashSet<>();
    for (int i = 0; i < claims.size(); i++) {
      DeviceClaim claim = claims.get(i);
      String field = "spec.gpus.resourceClaims[" + i + "]";
      problems.required(field + ".resourceClaimTemplateName", claim.resourceClaimTemplateName());
      problems.required(field + ".name", claim.name());
      if (claim.name() != null) {
        problems.check(
            claim.name().length() > 63 || !Names.isDnsLabel(claim.name()),
            field + ".name: must be of lower case letters, digits and dashes, a letter first");
        problems.check(
            !names.add(claim.name()), field + ".name: " + claim.name() + " is there twice");
      }
    }
  }

  private static int orOne(@Nullable Integer size) {
    return size == null ? 1 : size;
  }

  private static void engineConfig(
      Problems problems, InferenceBackendSpec.@Nullable EngineConfig config) {
    if (config != null) {
      problems.bounded("spec.engineConfig.maxModelLen", config.maxModelLen(), 1, Bounds.TOKENS);
      problems.bounded("spec.engineConfig.maxNumSeqs", config.maxNumSeqs(), 1, Bounds.CONCURRENCY);
      problems.share("spec.engineConfig.gpuMemoryUtilization", config.gpuMemoryUtilization());
    }
  }

  private static void external(
      Problems problems, InferenceBackendSpec.@Nullable External external) {
    if (external == null) {
      return;
    }
    problems.check(
        external.urls() == null || external.urls().isEmpty(),
        "spec.external.urls: give the base URL of at least one server");
    problems.atMost("spec.external.urls", external.urls(), Bounds.URLS);
    if (external.urls() != null && external.urls().size() <= Bounds.URLS) {
      external
          .urls()
          .forEach(
              url ->
                  problems.check(
                      !isBaseUrl(url),
                      "spec.external.urls: "
                          + Urls.shown(url)
                          + " is not a valid base URL; write it like http://host:8000 or"
                          + " https://host/llm,"
                          + " without a route or a query"
                          + (Urls.hasUserInfo(url)
                              ? ", and without a user; spec.access has what lets requests in"
                              : "")));
    }
  }

  private static void access(Problems problems, InferenceBackendSpec spec) {
    InferenceBackendSpec.Access access = spec.access();
    if (access == null) {
      return;
    }
    problems.objectName("spec.access.headersSecretName", access.headersSecretName());
    if (access.apiKeySecretRef() != null) {
      problems.required("spec.access.apiKeySecretRef.name", access.apiKeySecretRef().name());
      problems.objectName("spec.access.apiKeySecretRef.name", access.apiKeySecretRef().name());
    }
    if (access.caConfigMapRef() != null) {
      problems.required("spec.access.caConfigMapRef.name", access.caConfigMapRef().name());
      problems.objectName("spec.access.caConfigMapRef.name", access.caConfigMapRef().name());
      problems.check(
          spec.external() == null
              || spec.external().urls() == null
              || spec.external().urls().stream().noneMatch(url -> url.startsWith("https:")),
          "spec.access.caConfigMapRef: no URL of spec.external.urls begins with https; remove it");
    }
  }

  private static void profiling(Problems problems, InferenceBackendSpec spec) {
    problems.check(
        spec.external() != null && spec.profiling() != null,
        "spec.profiling: servers that are not ours cannot be started under a profiler; remove profiling, or remove external");
    problems.check(
        spec.profiling() != null
            && spec.heartbeat() != null
            && Boolean.TRUE.equals(spec.heartbeat().restart()),
        "spec.heartbeat.restart: a server that writes a trace may not answer, and would be killed at it; remove restart, or remove profiling");
    Profilers.check(problems, spec);
  }

  private static boolean isBaseUrl(String url) {
    try {
      URI uri = new URI(url);
      return List.of("http", "https").contains(String.valueOf(uri.getScheme()))
          && uri.getHost() != null
          && uri.getUserInfo() == null
          && uri.getQuery() == null
          && uri.getFragment() == null
          && !ROUTE.matcher(uri.getPath()).find();
    } catch (URISyntaxException e) {
      return false;
    }
  }
}
