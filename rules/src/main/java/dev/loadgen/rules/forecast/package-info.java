/**
 * What a test will be before anything is started: LoadGen's settings, its load, and the judge's
 * verdict on a log in which every sample is answered at once.
 */
@NullMarked
package dev.loadgen.rules.forecast;

import org.jspecify.annotations.NullMarked;
