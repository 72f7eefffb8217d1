package dev.loadgen.reconcile.pass;

/**
 * What is decided in one pass over an object. Both reconcilers go by it: they observe, decide, and
 * take the steps of the decision. It is a pure value, and so are its steps.
 *
 * @param <P> what the pass goes by
 * @param <E> what can be done beside the status
 * @param <S> the status of the object
 */
public interface Decision<P, E, S> {
  /** All that follows from the decision. */
  Steps<E, S> steps(P pass);
}
