/** Tests of the evidence. */
@NullMarked
package dev.loadgen.rules.evidence;

import org.jspecify.annotations.NullMarked;
