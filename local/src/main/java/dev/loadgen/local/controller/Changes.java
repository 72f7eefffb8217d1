package dev.loadgen.local.controller;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.function.Consumer;

/** Tells of every change of an object in the same way. */
record Changes<T>(Consumer<T> changed) implements ResourceEventHandler<T> {
  @Override
  public void onAdd(T object) {
    changed.accept(object);
  }

  @Override
  public void onUpdate(T before, T object) {
    changed.accept(object);
  }

  @Override
  public void onDelete(T object, boolean unknownFinalState) {
    changed.accept(object);
  }
}
