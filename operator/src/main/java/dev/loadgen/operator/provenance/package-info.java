/**
 * What is measured, and by what: servers and runner as pods and nodes show them, and what of them
 * is not as the operator makes it.
 */
@NullMarked
package dev.loadgen.operator.provenance;

import org.jspecify.annotations.NullMarked;
