#!/usr/bin/env bash
# Builds the program `health`, once, and prints its folder. It is kept in the user's cache, keyed by what it is made of.
# The build takes a minute or two of one core's time, less after that of hack/kubernetes, which has the same modules.
set -euo pipefail
cd "$(dirname "$0")"

command -v go >/dev/null || { echo "build.sh: go is needed (Debian package golang, 1.25 or later)" >&2; exit 2; }
key=$(cat build.sh go.mod go.sum main.go <(go env GOVERSION GOARCH) | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/loadgen-operator
programs=$cache/gitops-$key
mkdir -p "$cache"
exec 9>"$cache/gitops.lock"
flock 9

if [ ! -e "$programs" ]; then
  echo "building the health checks of Argo CD and Flux into the user's cache" >&2
  part=$programs.part
  rm -rf "$part"
  mkdir "$part"
  CGO_ENABLED=0 nice -n 5 go build -trimpath -buildvcs=false -ldflags "-s -w" -o "$part/health" .
  mv "$part" "$programs"
fi
echo "$programs"
