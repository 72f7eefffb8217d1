/**
 * MLPerf's rules as data, the reader of LoadGen's detail log, the prediction of what LoadGen will
 * issue, and the verdict on a run. Pure: no Kubernetes, no HTTP, no threads.
 */
@NullMarked
package dev.loadgen.rules;

import org.jspecify.annotations.NullMarked;
