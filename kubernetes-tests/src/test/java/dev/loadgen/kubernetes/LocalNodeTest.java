package dev.loadgen.kubernetes;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * What tests on the real API server have in common whose servers and runners are processes of this
 * machine: the node for them, and a namespace for each test.
 */
abstract class LocalNodeTest {
  private static TestCluster cluster;
  private static LocalNode node;
  private static Path folder;

  private BenchmarkNamespace bench;

  @BeforeAll
  static void startNode(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    cluster = TestCluster.shared();
    node = LocalNode.start(cluster, folder);
  }

  @AfterAll
  static void stopNode() {
    node.close();
  }

  @BeforeEach
  void makeNamespace() throws IOException, InterruptedException {
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
