/** Tests of the judge. */
@NullMarked
package dev.loadgen.rules.check;

import org.jspecify.annotations.NullMarked;
