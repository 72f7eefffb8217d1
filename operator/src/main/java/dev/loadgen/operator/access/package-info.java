/** What requests to the servers of a backend need to be let in. */
@NullMarked
package dev.loadgen.operator.access;

import org.jspecify.annotations.NullMarked;
