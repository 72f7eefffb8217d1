package dev.loadgen.reconcile.status;

/**
 * Something that a spec names, or that an object needs of its cluster, and that is not there or
 * cannot be used.
 *
 * @param reason a constant of {@code Reasons}
 * @param message the field, what is wrong with it, and never a secret
 */
public record MissingPrerequisite(String reason, String message) {}
