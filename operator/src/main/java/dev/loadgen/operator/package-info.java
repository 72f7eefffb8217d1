/** The operator: wires reconcilers, informers, settings and health into one process. */
@NullMarked
package dev.loadgen.operator;

import org.jspecify.annotations.NullMarked;
