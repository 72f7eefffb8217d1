/** From LoadGen's queries to requests, and from answers back to LoadGen: the system under test. */
@NullMarked
package dev.loadgen.runner.dispatch;

import org.jspecify.annotations.NullMarked;
