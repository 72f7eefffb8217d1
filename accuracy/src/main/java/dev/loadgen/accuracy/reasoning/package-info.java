/** Answers to multiple-choice, integer and programming questions. */
@NullMarked
package dev.loadgen.accuracy.reasoning;

import org.jspecify.annotations.NullMarked;
