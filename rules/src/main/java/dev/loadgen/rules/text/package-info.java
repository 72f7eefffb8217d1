/** How findings and rulesets print numbers. */
@NullMarked
package dev.loadgen.rules.text;

import org.jspecify.annotations.NullMarked;
