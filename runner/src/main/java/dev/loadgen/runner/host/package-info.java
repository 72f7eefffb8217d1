/** What the client's machine gave it during a test, and what it has: the client's own account. */
@NullMarked
package dev.loadgen.runner.host;

import org.jspecify.annotations.NullMarked;
