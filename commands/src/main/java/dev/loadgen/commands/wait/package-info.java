/** {@code loadgen wait}: waits in a cluster until runs have ended, and tells what they came to. */
@NullMarked
package dev.loadgen.commands.wait;

import org.jspecify.annotations.NullMarked;
