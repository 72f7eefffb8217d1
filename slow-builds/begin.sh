#!/usr/bin/env bash
# Builds, one after the other, what tests need late and what takes minutes the first time. What is in the user's cache
# already takes no time. A test that comes too early waits for the build by its lock; what fails here fails there, too,
# where it is shown.
#
#   slow-builds/begin.sh [LOG]   LOG: a file for what is printed
set -uo pipefail
if [ -n "${1-}" ]; then
  mkdir -p "$(dirname "$1")"
  exec >"$1" 2>&1
fi
cd "$(dirname "$0")/../hack"

# Each build is a process group of its own, which ends with this script.
set -m
job=
trap '[ -z "$job" ] || kill -- "-$job" 2>/dev/null; exit 143' TERM INT HUP

# Go's compilers run behind everything else, so there are more of them than processors, or they would hardly get on. KWOK comes
# first: it takes a minute, and the longest test begins with it.
export GOFLAGS=-p=$((2 * $(nproc)))
builds=(mlflow)
if command -v go >/dev/null; then builds+=(kwok kubernetes helm gitops); fi
for build in "${builds[@]}"; do
  echo "$(date +%T) $build"
  "$build/build.sh" &
  job=$!
  wait "$job" || echo "$build has failed"
done
echo "$(date +%T) done"
