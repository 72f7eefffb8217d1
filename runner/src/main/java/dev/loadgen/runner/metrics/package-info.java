/** What servers say of themselves during a test: read, brought to one vocabulary, kept. */
@NullMarked
package dev.loadgen.runner.metrics;

import org.jspecify.annotations.NullMarked;
