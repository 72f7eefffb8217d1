package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;

class MeasuredSocketsTest {
  @Test
  void socketsSendAtOnceAndAskAfterAMinuteOfSilence() throws Exception {
    try (Socket socket = new MeasuredSockets().createSocket()) {
      assertThat(socket.getTcpNoDelay()).isTrue();
      assertThat(socket.getKeepAlive()).isTrue();
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(60);
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL)).isEqualTo(15);
      assertThat(socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT)).isEqualTo(4);
    }
  }

  @Test
  void channelsDoTheSame() throws Exception {
    try (SocketChannel channel = SocketChannel.open()) {
      MeasuredSockets.prepare(channel.supportedOptions(), channel::setOption);

      assertThat(channel.getOption(StandardSocketOptions.TCP_NODELAY)).isTrue();
      assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
      assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(60);
    }
  }

  @Test
  void whatIsNotSupportedIsLeftOut() throws Exception {
    try (SocketChannel channel = SocketChannel.open()) {
      Integer before = channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE);

      MeasuredSockets.prepare(java.util.Set.of(), channel::setOption);

      assertThat(channel.getOption(ExtendedSocketOptions.TCP_KEEPIDLE)).isEqualTo(before);
      assertThat(channel.getOption(StandardSocketOptions.SO_KEEPALIVE)).isTrue();
    }
  }
}
