package dev.loadgen.operator.access;

/**
 * Something that {@code spec.access} of a backend, or {@code spec.mlflow} of a run, names and that
 * is not there, or cannot be used; or an API that servers are made by and that the cluster lacks.
 *
 * @param reason a constant of {@code Reasons}
 * @param message the field, what is wrong with it, and never a secret
 */
public record AccessProblem(String reason, String message) {}
