/** Product metadata that a model reads off a picture. */
@NullMarked
package dev.loadgen.accuracy.catalogue;

import org.jspecify.annotations.NullMarked;
