/** What servers said of themselves during a test, as a results folder keeps it. */
@NullMarked
package dev.loadgen.results.metrics;

import org.jspecify.annotations.NullMarked;
