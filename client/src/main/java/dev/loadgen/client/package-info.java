/** What vLLM and SGLang are asked and answer: request bodies, streams, token counts, errors. */
@NullMarked
package dev.loadgen.client;

import org.jspecify.annotations.NullMarked;
