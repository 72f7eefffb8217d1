#!/usr/bin/env bash
# Builds a Kubernetes for tests, once, and prints the folder of its programs: those of kubernetes/ and `cluster`.
# They are kept in the user's cache, keyed by what they are made of. The first build takes about 13 minutes of one
# core's time, downloads 0.9 GB of Go modules and keeps 3 GB in Go's build cache.
set -euo pipefail
cd "$(dirname "$0")"

command -v go >/dev/null || { echo "build.sh: go is needed (Debian package golang, 1.25 or later)" >&2; exit 2; }
version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' go.mod)
key=$(cat build.sh go.mod go.sum kubernetes/*.go cluster/*.go <(go env GOVERSION GOARCH) | sha256sum | cut -c1-12)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/loadgen-operator
programs=$cache/kubernetes-$version-$key
mkdir -p "$cache"
exec 9>"$cache/kubernetes.lock"
flock 9

if [ ! -e "$programs" ]; then
  echo "building Kubernetes ${version#v} from Go modules into the user's cache, which takes minutes once" >&2
  part=$programs.part
  rm -rf "$part"
  mkdir "$part"
  # What `kubectl version` prints, and what clients decide by. Go modules carry no version stamps.
  minor=${version#v*.}
  stamps=()
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    stamps+=("-X $package.gitVersion=$version" "-X $package.gitMajor=1" "-X $package.gitMinor=${minor%%.*}")
    stamps+=("-X $package.gitTreeState=clean" "-X $package.buildDate=1970-01-01T00:00:00Z")
  done
  export CGO_ENABLED=0
  go build -trimpath -buildvcs=false -tags providerless -ldflags "-s -w ${stamps[*]}" -o "$part/kubernetes" ./kubernetes
  go build -trimpath -buildvcs=false -ldflags "-s -w" -o "$part/cluster" ./cluster
  for program in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl gpu-plugin; do
    ln -s kubernetes "$part/$program"
  done
  mv "$part" "$programs"
fi
echo "$programs"
