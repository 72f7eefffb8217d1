package dev.loadgen.mlflow;

final class MlflowNames {
  /** Most characters of a name: {@code MAX_ENTITY_KEY_LENGTH} of mlflow/utils/validation.py. */
  private static final int KEY = 250;

  /** Most characters of a parameter: {@code MAX_PARAM_VAL_LENGTH} of the same. */
  static final int PARAMETER = 6000;

  /** Most characters of a tag in every MLflow since 1.0; later ones take 8000. */
  static final int TAG = 5000;

  private MlflowNames() {}

  /** A name with each character that MLflow does not take replaced by {@code _}. */
  static String key(String name) {
    String key = name.replaceAll("[^\\w\\-. :/]", "_");
    return key.length() <= KEY ? key : key.substring(0, KEY);
  }
}
