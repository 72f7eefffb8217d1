/**
 * HTTP under measurement: bytes out, bytes in, each stamped when it arrived. Knows nothing of
 * engines or LoadGen.
 */
@NullMarked
package dev.loadgen.client.transport;

import org.jspecify.annotations.NullMarked;
