/** What an operator is told: which namespaces, images, intervals and bounds. */
@NullMarked
package dev.loadgen.operator.settings;

import org.jspecify.annotations.NullMarked;
