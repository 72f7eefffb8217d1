/** Tests of answers' parsers. */
@NullMarked
package dev.loadgen.accuracy.reasoning;

import org.jspecify.annotations.NullMarked;
