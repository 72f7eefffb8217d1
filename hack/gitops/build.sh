#!/usr/bin/env bash
# Builds the program `health`, once, and prints its folder. The build takes seconds after that of hack/kubernetes.
set -euo pipefail
cd "$(dirname "$0")"
. ../build-once.sh

build() {
  echo "building the health checks of Flux, Helm and Argo CD into the user's cache"
  go_build -ldflags "-s -w" -o "$1/health" .
}

build_once gitops ../go.mod ../go.sum main.go
