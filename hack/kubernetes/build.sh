#!/usr/bin/env bash
# Builds a Kubernetes for tests, once, and prints the folder of its programs: those of kubernetes/ and `cluster`.
# The first build takes twelve minutes of one core's time, downloads 0.9 GB of Go modules and keeps 3 GB in Go's build cache.
set -euo pipefail
cd "$(dirname "$0")"
. ../build-once.sh

version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' ../go.mod)

build() {
  echo "building Kubernetes ${version#v} from Go modules into the user's cache, which takes minutes once"
  # What `kubectl version` prints, and what clients decide by. Go modules carry no version stamps.
  local minor=${version#v*.} stamps=() package program
  for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    stamps+=("-X $package.gitVersion=$version" "-X $package.gitMajor=1" "-X $package.gitMinor=${minor%%.*}")
    stamps+=("-X $package.gitTreeState=clean" "-X $package.buildDate=1970-01-01T00:00:00Z")
  done
  go_build -tags providerless -ldflags "-s -w ${stamps[*]}" -o "$1/kubernetes" ./kubernetes
  go_build -ldflags "-s -w" -o "$1/cluster" ./cluster
  (cd dns && go_build -ldflags "-s -w" -o "$1/coredns" .)
  for program in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl gpu-plugin; do
    ln -s kubernetes "$1/$program"
  done
}

build_once "kubernetes-$version" ../go.mod ../go.sum kubernetes/*.go cluster/*.go dns/*
