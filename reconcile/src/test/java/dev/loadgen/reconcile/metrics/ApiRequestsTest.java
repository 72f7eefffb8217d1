package dev.loadgen.reconcile.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.reconcile.metrics.ApiRequests.Call;
import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ApiRequestsTest {
  @ParameterizedTest
  @CsvSource({
    "GET, /api/v1/namespaces/bench/pods?labelSelector=a%3Db, list, pods",
    "GET, /api/v1/pods?watch=true&resourceVersion=4, watch, pods",
    "GET, /api/v1/namespaces/bench/configmaps/prompts, get, configmaps",
    "GET, /api/v1/namespaces/bench, get, namespaces",
    "POST, /apis/batch/v1/namespaces/bench/jobs, create, jobs",
    "PUT, /apis/coordination.k8s.io/v1/namespaces/n/leases/l, update, leases",
    "PATCH, /apis/loadgen.dev/v1alpha1/namespaces/n/benchmarkruns/r/status?force=true, patch, benchmarkruns/status",
    "DELETE, /apis/coordination.k8s.io/v1/namespaces/n/leases/l, delete, leases",
    "GET, /apis/loadgen.dev/v1alpha1/benchmarkruns, list, benchmarkruns",
    "GET, /k8s/clusters/c-1/api/v1/namespaces/api/pods/api, get, pods",
    "GET, /apis/batch/v1/namespaces/api/jobs/api, get, jobs",
    "GET, /version, get, other"
  })
  void aRequestIsNamedAsARoleNamesIt(String method, String uri, String verb, String resource) {
    assertThat(Call.of(method, URI.create("https://127.0.0.1:6443" + uri)))
        .isEqualTo(new Call(verb, resource));
  }
}
