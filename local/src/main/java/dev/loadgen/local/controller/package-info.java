/** What kube-controller-manager does, for the kinds that the operator makes. */
@NullMarked
package dev.loadgen.local.controller;

import org.jspecify.annotations.NullMarked;
