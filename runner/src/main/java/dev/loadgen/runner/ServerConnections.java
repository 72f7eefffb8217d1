package dev.loadgen.runner;

import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.transport.Access;
import dev.loadgen.client.transport.HostNames;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.client.transport.TransportChoice;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.runner.dispatch.Replica;
import java.net.ProxySelector;
import org.jspecify.annotations.Nullable;

/**
 * How the runner reaches the servers.
 *
 * @param names their hosts
 * @param secrets what lets requests in
 * @param choice of the transport that carries the test's requests
 * @param engine that the servers run
 */
record ServerConnections(HostNames names, Access secrets, TransportChoice choice, Engine engine) {
  static ServerConnections of(TestContext context) throws RunFailedException {
    return new ServerConnections(
        RunFailedException.unlessInvalid(
            () ->
                HostNames.parse(
                    System.getenv().getOrDefault(RunnerInterface.RESOLVE_VARIABLE, ""))),
        AccessFiles.read(context.plan().server().access(), context.options().secrets()),
        RunFailedException.unlessInvalid(
            () ->
                TransportChoice.choose(
                    context.replicas().stream().map(Replica::url).toList(),
                    ProxySelector.getDefault(),
                    System.getProperty(TransportChoice.KIND_PROPERTY),
                    System.getProperty(TransportChoice.LOOPS_PROPERTY),
                    Runtime.getRuntime().availableProcessors())),
        context.plan().server().engine());
  }

  /** Opens what carries the test's requests. */
  Transport transport() {
    return choice.open(names, secrets);
  }

  /** Opens what asks the servers for all else. */
  ServerProbe probe() {
    return new ServerProbe(names, secrets, engine);
  }

  /** The names by which the test itself finds its servers; null: it leaves that to others. */
  @Nullable HostNames namesOfTest() {
    return choice.kind() == TransportChoice.Kind.EVENT_LOOP ? names : null;
  }
}
