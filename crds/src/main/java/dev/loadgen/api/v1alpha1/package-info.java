/**
 * The Kubernetes API {@code loadgen.dev/v1alpha1}: {@link
 * dev.loadgen.api.v1alpha1.InferenceBackend} and {@link dev.loadgen.api.v1alpha1.BenchmarkRun}. A
 * component that is null was not set by the user.
 */
package dev.loadgen.api.v1alpha1;
