/** What debug mode keeps besides: token statistics, and where the time of each request went. */
@NullMarked
package dev.loadgen.runner.debug;

import org.jspecify.annotations.NullMarked;
