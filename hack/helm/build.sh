#!/usr/bin/env bash
# Builds Helm for tests, once, and prints the folder of the program `helm`. It is kept in the user's cache, keyed by
# its version. The build takes about four minutes of one core's time. Go's checksum database holds the module's content.
set -euo pipefail
cd "$(dirname "$0")"

version=v3.22.0

command -v go >/dev/null || { echo "build.sh: go is needed (Debian package golang; 1.26, or one that may download it)" >&2; exit 2; }
key=$(cat build.sh <(go env GOVERSION GOARCH) | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/loadgen-operator
programs=$cache/helm-$version-$key
mkdir -p "$cache"
exec 9>"$cache/helm.lock"
flock 9

if [ ! -e "$programs" ]; then
  echo "building Helm ${version#v} from its Go module into the user's cache, which takes minutes once" >&2
  part=$programs.part
  rm -rf "$part"
  mkdir "$part"
  # What a release of Helm has and a Go module lacks: its version, and the Kubernetes that charts are rendered for.
  module=$(go mod download -json "helm.sh/helm/v3@$version" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
  minor=$(awk '$1 == "k8s.io/client-go" { split($2, part, "."); print part[2] }' "$module")
  stamps="-s -w -X helm.sh/helm/v3/internal/version.version=$version"
  for package in chartutil lint/rules; do
    stamps+=" -X helm.sh/helm/v3/pkg/$package.k8sVersionMajor=1 -X helm.sh/helm/v3/pkg/$package.k8sVersionMinor=$minor"
  done
  CGO_ENABLED=0 GOBIN=$part nice -n 5 go install -trimpath -ldflags "$stamps" "helm.sh/helm/v3/cmd/helm@$version"
  mv "$part" "$programs"
fi
echo "$programs"
