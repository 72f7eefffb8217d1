/**
 * A server that answers as vLLM or SGLang would, with latency, output lengths and faults to order,
 * and no model behind it.
 */
@NullMarked
package dev.loadgen.simulator;

import org.jspecify.annotations.NullMarked;
