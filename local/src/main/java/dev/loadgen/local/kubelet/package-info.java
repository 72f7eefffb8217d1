/** A node whose containers are processes of this machine. */
@NullMarked
package dev.loadgen.local.kubelet;

import org.jspecify.annotations.NullMarked;
