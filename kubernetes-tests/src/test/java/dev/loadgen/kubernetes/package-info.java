/** Tests on a real API server. */
@NullMarked
package dev.loadgen.kubernetes;

import org.jspecify.annotations.NullMarked;
