/**
 * What is made of a stored results folder: its verdict, {@code report.html}, which is one file that
 * needs nothing else, and comparisons.
 */
@NullMarked
package dev.loadgen.results.report;

import org.jspecify.annotations.NullMarked;
