#!/usr/bin/env bash
# Builds Helm for tests, once, and prints the folder of the program `helm`. The build takes about four minutes of one
# core's time. Go's checksum database holds the module's content.
set -euo pipefail
cd "$(dirname "$0")"
. ../build-once.sh

version=v3.22.0

build() {
  echo "building Helm ${version#v} from its Go module into the user's cache, which takes minutes once"
  # What a release of Helm has and a Go module lacks: its version, and the Kubernetes that charts are rendered for.
  local module minor stamps package
  module=$(go mod download -json "helm.sh/helm/v3@$version" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
  minor=$(awk '$1 == "k8s.io/client-go" { split($2, part, "."); print part[2] }' "$module")
  stamps="-s -w -X helm.sh/helm/v3/internal/version.version=$version"
  for package in chartutil lint/rules; do
    stamps+=" -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=$minor"
  done
  CGO_ENABLED=0 GOBIN=$1 nice -n 5 go install -trimpath -ldflags "$stamps" "helm.sh/helm/v3/cmd/helm@$version"
}

build_once "helm-$version"
