/** The objects that shall exist, as pure functions of custom resources: no client, no clock. */
@NullMarked
package dev.loadgen.desired;

import org.jspecify.annotations.NullMarked;
