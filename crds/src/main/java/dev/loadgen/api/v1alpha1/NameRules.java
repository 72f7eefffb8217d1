package dev.loadgen.api.v1alpha1;

/**
 * What names the objects of both kinds may have, beyond what Kubernetes asks of any name: rules in
 * CEL, and their words, which the operator says itself where an API server let an object through.
 * An object with a phase is left alone: it was stored before there was a rule, the operator has
 * told what is wrong with it, and it has to stay possible to change and to delete it. Nobody can
 * make an object that has one, since an API server drops the status of what is created.
 */
public final class NameRules {
  /** The longest name of a run: the pods of its Job have NAME-runner as a label, of at most 63. */
  public static final int RUN_LENGTH = 56;

  /**
   * The longest name of a backend: its pods have the label {@code controller-revision-hash}, which
   * is the name, a dash and 10 characters, of at most 63.
   */
  public static final int BACKEND_LENGTH = 52;

  /** A host name, as a backend's becomes one. */
  public static final String HOST_NAME = "[a-z]([-a-z0-9]*[a-z0-9])?";

  /** What is asked of the name of a run. */
  public static final String RUN_WORDS =
      "metadata.name: must have at most "
          + RUN_LENGTH
          + " characters, since its Job's has 7 more; give the run a shorter name";

  /** What is asked of the name of a backend, and of a run that has one of its own. */
  public static final String BACKEND_WORDS =
      "metadata.name: servers need a host name of at most "
          + BACKEND_LENGTH
          + " characters: lower case letters, digits and dashes, a letter first; give it such a name";

  private static final String SEEN = "(has(self.status) && has(self.status.phase))";

  /** Of runs. */
  static final String RUN = "self.metadata.name.size() <= " + RUN_LENGTH + " || " + SEEN;

  /** Of backends. */
  static final String BACKEND =
      "(self.metadata.name.size() <= "
          + BACKEND_LENGTH
          + " && self.metadata.name.matches('^"
          + HOST_NAME
          + "$')) || "
          + SEEN;

  /** Of runs whose backend is their own, and has their name. */
  static final String RUN_WITH_BACKEND = "!has(self.spec.backend) || " + BACKEND;

  private NameRules() {}
}
