/** Text of token ids, by a Hugging Face {@code tokenizer.json}. */
@NullMarked
package dev.loadgen.accuracy.tokenizer;

import org.jspecify.annotations.NullMarked;
