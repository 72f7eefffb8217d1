/** Faults of the API server, and operators that are killed. */
@NullMarked
package dev.loadgen.local.faults;

import org.jspecify.annotations.NullMarked;
