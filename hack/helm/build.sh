#!/usr/bin/env bash
# Builds Helm for tests, once, and prints the folder of the program `helm`. The build takes seconds
# after that of hack/kubernetes.
set -euo pipefail
cd "$(dirname "$0")"
. ../build-once.sh

version=$(awk '$1 == "helm.sh/helm/v3" { print $2; exit }' ../go.mod)

build() {
  echo "building Helm ${version#v} from its Go module into the user's cache, which takes minutes once"
  # What a release of Helm has and a Go module lacks: its version, and the Kubernetes that charts are rendered for.
  local minor stamps package
  minor=$(go list -m k8s.io/client-go | sed -E 's/.* v0\.([0-9]+)\..*/\1/')
  stamps="-s -w -X helm.sh/helm/v3/internal/version.version=$version"
  for package in chartutil lint/rules; do
    stamps+=" -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=$minor"
  done
  go_build -ldflags "$stamps" -o "$1/helm" helm.sh/helm/v3/cmd/helm
}

build_once "helm-$version" ../go.mod ../go.sum
