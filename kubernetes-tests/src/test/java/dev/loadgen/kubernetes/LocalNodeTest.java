package dev.loadgen.kubernetes;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * What tests on the real API server have in common whose servers and runners are processes of this
 * machine: the node for them, and a namespace for each test.
 */
abstract class LocalNodeTest {
  private static TestCluster cluster;

  private BenchmarkNamespace bench;

  @BeforeAll
  static void startNode() throws IOException, InterruptedException {
    cluster = TestCluster.shared();
    LocalNode.share(cluster);
  }

  @BeforeEach
  void makeNamespace(@TempDir Path folder) throws IOException, InterruptedException {
    bench = BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.HOST_PATH);
  }

  static TestCluster cluster() {
    return cluster;
  }

  /** The namespace of the test. */
  BenchmarkNamespace bench() {
    return bench;
  }
}
