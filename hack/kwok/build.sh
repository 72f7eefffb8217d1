#!/usr/bin/env bash
# Builds KWOK, once, and prints its folder. The build takes two minutes of one core's time.
set -euo pipefail
cd "$(dirname "$0")"
. ../build-once.sh

build() {
  echo "building KWOK into the user's cache, which takes minutes"
  go_build -ldflags "-s -w" -o "$1/kwok" sigs.k8s.io/kwok/cmd/kwok
}

build_once kwok go.mod go.sum
