/** Tests of the evaluators on whole logs. */
@NullMarked
package dev.loadgen.accuracy;

import org.jspecify.annotations.NullMarked;
