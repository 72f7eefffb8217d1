/** Scoring the answers of an accuracy test: what it needs, and what it leaves in the folder. */
@NullMarked
package dev.loadgen.results.accuracy;

import org.jspecify.annotations.NullMarked;
