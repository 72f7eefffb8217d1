/** What is known of a test beside LoadGen's log: of its samples, client, servers and answers. */
@NullMarked
package dev.loadgen.rules.evidence;

import org.jspecify.annotations.NullMarked;
