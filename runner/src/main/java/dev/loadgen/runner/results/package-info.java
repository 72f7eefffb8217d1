/** What a test leaves behind: the results folder, the measured values, the summary. */
@NullMarked
package dev.loadgen.runner.results;

import org.jspecify.annotations.NullMarked;
