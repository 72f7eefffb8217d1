/** Validation and defaulting of custom resources by the structural schema of their CRD. */
@NullMarked
package dev.loadgen.local.schema;

import org.jspecify.annotations.NullMarked;
