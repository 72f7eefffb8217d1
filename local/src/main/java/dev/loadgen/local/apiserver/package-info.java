/** An in-memory Kubernetes API server, as much of one as operators and their controllers need. */
@NullMarked
package dev.loadgen.local.apiserver;

import org.jspecify.annotations.NullMarked;
