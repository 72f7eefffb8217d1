/** Tests of tokenizers. */
@NullMarked
package dev.loadgen.accuracy.tokenizer;

import org.jspecify.annotations.NullMarked;
