/**
 * What the runner learns of what it measures: from the servers themselves, from their logs, and
 * from the operator.
 */
@NullMarked
package dev.loadgen.runner.provenance;

import org.jspecify.annotations.NullMarked;
