package dev.loadgen.local.schema;

/**
 * Something in an object that its schema does not allow.
 *
 * @param path the field, such as {@code spec.args[2]}
 * @param message what is wrong with it and what is allowed
 * @param unknownField whether the schema does not know the field at all
 */
public record SchemaProblem(String path, String message, boolean unknownField) {
  @Override
  public String toString() {
    return path + ": " + message;
  }
}
