package dev.loadgen.local;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.Filter;
import dev.loadgen.local.apiserver.ApiServer;
import dev.loadgen.local.apiserver.ContainerLogs;
import dev.loadgen.local.controller.Controllers;
import dev.loadgen.local.schema.CustomResourceSchemas;
import dev.loadgen.operator.ApiJson;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.util.List;

/**
 * A Kubernetes API in this JVM: API server with both CRDs, and the controllers of {@link
 * Controllers}. It has no node; see {@link dev.loadgen.local.kubelet.LocalKubelet}. Listens on
 * loopback alone.
 */
public final class EmbeddedCluster implements AutoCloseable {
  /** What only a real cluster does; shown to users at start. */
  public static final String NOT_COVERED =
      "field ownership of server-side apply, RBAC and admission, scheduling, networks, container"
          + " images and isolation";

  private final ApiServer server;
  private final KubernetesClient client;
  private final Controllers controllers;

  private EmbeddedCluster(ApiServer server, KubernetesClient client, Controllers controllers) {
    this.server = server;
    this.client = client;
    this.controllers = controllers;
  }

  /** Starts the cluster; it answers when this returns. */
  public static EmbeddedCluster start(Clock clock) throws IOException {
    return start(clock, List.of());
  }

  /**
   * Starts the cluster; it answers when this returns.
   *
   * @param filters what every request to its API server goes through, its own ones included
   */
  public static EmbeddedCluster start(Clock clock, List<Filter> filters) throws IOException {
    ApiServer server = ApiServer.start(clock, filters);
    KubernetesClient client = client(server.url());
    for (String name : List.of("default", "kube-system")) {
      client
          .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
          .create();
    }
    for (ObjectNode definition : CustomResourceSchemas.load().definitions()) {
      client
          .apiextensions()
          .v1()
          .customResourceDefinitions()
          .resource(Serialization.unmarshal(definition.toString(), CustomResourceDefinition.class))
          .create();
    }
    return new EmbeddedCluster(server, client, Controllers.start(client, clock));
  }

  private static KubernetesClient client(URI url) {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(url.toString())
            .withNamespace("default")
            .withHttp2Disable(true)
            .build();
    config.setOnlyHttpWatches(true); // this server has no WebSocket
    return new KubernetesClientBuilder()
        .withConfig(config)
        .withKubernetesSerialization(ApiJson.serialization())
        .withHttpClientFactory(new JdkHttpClientFactory())
        .build();
  }

  /** Has logs of containers served. */
  public void serveLogs(ContainerLogs source) {
    server.serveLogs(source);
  }

  /** The API server's URL. */
  public URI url() {
    return server.url();
  }

  /** A client of this cluster; closed with it. */
  public KubernetesClient client() {
    return client;
  }

  @Override
  public void close() {
    controllers.close();
    client.close();
    server.close();
  }
}
