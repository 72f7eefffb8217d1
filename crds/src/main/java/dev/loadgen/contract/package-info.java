/**
 * What operator and runner tell each other: plan in, progress and summary out, all as versioned
 * JSON.
 */
package dev.loadgen.contract;
