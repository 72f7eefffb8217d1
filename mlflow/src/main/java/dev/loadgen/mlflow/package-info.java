/** Export of a published results folder to an MLflow tracking server, over its REST API. */
@NullMarked
package dev.loadgen.mlflow;

import org.jspecify.annotations.NullMarked;
