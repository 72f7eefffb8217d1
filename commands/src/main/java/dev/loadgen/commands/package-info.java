/** Commands of {@code loadgen} that read files alone, and what all its commands have in common. */
@NullMarked
package dev.loadgen.commands;

import org.jspecify.annotations.NullMarked;
