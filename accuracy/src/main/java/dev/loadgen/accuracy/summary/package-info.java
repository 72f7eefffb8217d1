/** ROUGE of summaries, as {@code rouge_score} and NLTK compute it. */
@NullMarked
package dev.loadgen.accuracy.summary;

import org.jspecify.annotations.NullMarked;
