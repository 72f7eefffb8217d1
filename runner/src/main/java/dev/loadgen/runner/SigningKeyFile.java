package dev.loadgen.runner;

import dev.loadgen.contract.PemKeys;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import org.jspecify.annotations.Nullable;

/** The key that signs the results, as Kubernetes has put it into the folder of secrets. */
final class SigningKeyFile {
  private SigningKeyFile() {}

  /**
   * Reads it before the test, so that hours of measurement do not end without a signature.
   *
   * @return null: the plan asks for none
   * @throws RunFailedException if it cannot be used; the message never holds it
   */
  static @Nullable PrivateKey read(RunPlan plan, @Nullable Path secrets) throws RunFailedException {
    if (!Boolean.TRUE.equals(plan.signed())) {
      return null;
    }
    if (secrets == null) {
      throw invalid(
          "the plan asks for a signature; name the folder with the key by "
              + RunnerInterface.SECRETS_OPTION,
          null);
    }
    Path file = secrets.resolve(RunnerInterface.SIGNING_KEY_FILE);
    try {
      return PemKeys.privateKey(Files.readString(file));
    } catch (IOException e) {
      throw invalid("signing key " + file + " cannot be read: " + e.getClass().getSimpleName(), e);
    } catch (IllegalArgumentException e) {
      throw invalid("signing key " + file + " " + e.getMessage(), e);
    }
  }

  private static RunFailedException invalid(String message, @Nullable Exception cause) {
    return new RunFailedException(RunnerExit.PLAN_INVALID, message, cause);
  }
}
