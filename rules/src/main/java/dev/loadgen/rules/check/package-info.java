/**
 * The judge: every rule that a verdict can rest on is checked here, and every finding is made here.
 */
@NullMarked
package dev.loadgen.rules.check;

import org.jspecify.annotations.NullMarked;
