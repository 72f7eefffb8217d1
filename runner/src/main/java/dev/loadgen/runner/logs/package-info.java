/** The servers' logs, which the operator sends after the test. */
@NullMarked
package dev.loadgen.runner.logs;

import org.jspecify.annotations.NullMarked;
