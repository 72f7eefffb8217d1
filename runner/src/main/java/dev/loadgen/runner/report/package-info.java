/** {@code report.html}: one file that needs nothing else, for people. */
@NullMarked
package dev.loadgen.runner.report;

import org.jspecify.annotations.NullMarked;
