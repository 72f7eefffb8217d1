/**
 * What operator, runner and rules tell each other: plan in, progress and summary out, all as
 * versioned JSON, and the words that they are made of.
 */
package dev.loadgen.contract;
