package dev.loadgen.local.faults;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** An exchange that is another one. */
class ForwardingExchange extends HttpExchange {
  private final HttpExchange real;

  ForwardingExchange(HttpExchange real) {
    this.real = real;
  }

  @Override
  public Headers getRequestHeaders() {
    return real.getRequestHeaders();
  }

  @Override
  public Headers getResponseHeaders() {
    return real.getResponseHeaders();
  }

  @Override
  public URI getRequestURI() {
    return real.getRequestURI();
  }

  @Override
  public String getRequestMethod() {
    return real.getRequestMethod();
  }

  @Override
  public HttpContext getHttpContext() {
    return real.getHttpContext();
  }

  @Override
  public void close() {
    real.close();
  }

  @Override
  public InputStream getRequestBody() {
    return real.getRequestBody();
  }

  @Override
  public OutputStream getResponseBody() {
    return real.getResponseBody();
  }

  @Override
  public void sendResponseHeaders(int code, long length) throws IOException {
    real.sendResponseHeaders(code, length);
  }

  @Override
  public InetSocketAddress getRemoteAddress() {
    return real.getRemoteAddress();
  }

  @Override
  public int getResponseCode() {
    return real.getResponseCode();
  }

  @Override
  public InetSocketAddress getLocalAddress() {
    return real.getLocalAddress();
  }

  @Override
  public String getProtocol() {
    return real.getProtocol();
  }

  @Override
  public Object getAttribute(String name) {
    return real.getAttribute(name);
  }

  @Override
  public void setAttribute(String name, @Nullable Object value) {
    real.setAttribute(name, value);
  }

  @Override
  public void setStreams(@Nullable InputStream in, @Nullable OutputStream out) {
    real.setStreams(in, out);
  }

  @Override
  public HttpPrincipal getPrincipal() {
    return real.getPrincipal();
  }
}
