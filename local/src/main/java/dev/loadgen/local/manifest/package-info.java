/** Reading and checking the YAML that users write. */
@NullMarked
package dev.loadgen.local.manifest;

import org.jspecify.annotations.NullMarked;
