import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * A Kubernetes API server that has nothing but custom resources that are newer than any operator: every list is empty,
 * and no watch ever tells of anything. The operator starts on it once while its image is built, so that the image can
 * hold what every start needs.
 *
 * <p>{@code java ApiServer.java KEYSTORE PASSWORD} listens on a free port of the loopback interface and prints it.
 */
final class ApiServer {
  private static final String WEB_SOCKET = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, section 1.3
  private static final String EMPTY = "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}";
  private static final String CRDS = "/customresourcedefinitions/";
  private static final String CRD =
      "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{\"annotations\":{\"loadgen.dev/revision\":\"999999999\"}}}";

  private ApiServer() {}

  public static void main(String[] arguments) throws IOException, GeneralSecurityException {
    char[] password = arguments[1].toCharArray();
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream file = new FileInputStream(arguments[0])) {
      keys.load(file, password);
    }
    KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
    factory.init(keys, password);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(factory.getKeyManagers(), null, null);
    try (SSLServerSocket server =
        (SSLServerSocket) tls.getServerSocketFactory().createServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
      System.out.println(server.getLocalPort());
      while (true) {
        Socket client = server.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    }
  }

  private static void serve(Socket client) {
    try (client) {
      BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.ISO_8859_1));
      OutputStream out = client.getOutputStream();
      for (String request = in.readLine(); request != null; request = in.readLine()) {
        String key = null;
        for (String header = in.readLine(); header != null && !header.isEmpty(); header = in.readLine()) {
          if (header.regionMatches(true, 0, "Sec-WebSocket-Key:", 0, 18)) {
            key = header.substring(18).strip();
          }
        }
        if (key != null) {
          send(out, "101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept(key), "");
          while (in.read() >= 0) {} // until the operator ends
          return;
        }
        String answer = request.contains(CRDS) ? CRD : EMPTY;
        send(out, "200 OK\r\nContent-Type: application/json\r\nContent-Length: " + answer.length(), answer);
      }
    } catch (IOException e) {
      // The operator has ended, which the script waits for.
    }
  }

  private static void send(OutputStream out, String head, String body) throws IOException {
    out.write(("HTTP/1.1 " + head + "\r\n\r\n" + body).getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
  }

  private static String accept(String key) {
    try {
      byte[] text = (key + WEB_SOCKET).getBytes(StandardCharsets.ISO_8859_1);
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has SHA-1
    }
  }
}
