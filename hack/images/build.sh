#!/usr/bin/env bash
# Builds the images of the Dockerfile, and the one that a node needs for its pods, with no registry at hand; prints the
# folder that has them as `images.tar`, an OCI archive: `ctr images import`, `podman load` and `docker load` take it. Beside
# it is the bill of materials of each, `loadgen-PROGRAM.cdx.json`.
# They are kept in the user's cache, keyed by all that they are made of; `mvn package` comes first.
#
# The Dockerfile's last stages are carried out as they stand, on what hack/images/layout.sh lays out and on a base made
# of this machine's own shared libraries in place of the distroless one.
set -euo pipefail
cd "$(dirname "$0")"
. ../build-once.sh

root=$(cd ../.. && pwd)
jdk=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v jlink)")")")}
export JAVA_HOME=$jdk

registry=ghcr.io/loadgen-operator
# As charts and manifests name them.
tag=$(sed -n 's/^appVersion: *"\{0,1\}\([^"]*\)"\{0,1\} *$/\1/p' "$root/charts/loadgen-operator/Chart.yaml")

# The shared libraries of some programs and libraries, at their own paths, and the few files that the C library reads.
base() { # FOLDER FILE...
  local folder=$1 library
  shift
  for library in $(ldd "$@" 2>/dev/null | sed -n -E 's/.*(=> |^\s+)(\/[^ ]+) \(0x.*/\2/p' | sort -u); do
    case $library in "$root"/* | "$jdk"/* | "${TMPDIR:-/tmp}"/*) continue ;; esac
    mkdir -p "$folder$(dirname "$library")"
    cp --dereference "$library" "$folder$library"
  done
  mkdir -p "$folder/etc"
  printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$folder/etc/passwd"
  printf 'root:x:0:\nnonroot:x:65532:\n' >"$folder/etc/group"
  printf 'hosts: files dns\n' >"$folder/etc/nsswitch.conf"
  cp --dereference /etc/os-release "$folder/etc/os-release"
  mkdir -p -m 1777 "$folder/tmp"
  mkdir -p "$folder/proc" "$folder/sys" "$folder/dev" "$folder/home/nonroot"
}

build() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  # Every build of the modules makes new ones.
  find "$(dirname "$1")" -maxdepth 1 -name 'images-*' -mtime +2 -exec rm -rf {} +
  echo "building images into the user's cache, which takes a minute"
  ./layout.sh "$work/build/image"
  for program in operator runner simulator; do
    [ "${LOADGEN_SBOM-}" = none ] || cp "$work/build/image/$program/sbom.cdx.json" "$1/loadgen-$program.cdx.json"
  done
  base "$work/base" "$work"/build/image/java/bin/* "$work"/build/image/java/lib/*.so "$work"/build/image/java/lib/server/*.so \
    "$work"/build/image/runner/native/*.so
  go_build -ldflags "-s -w" -o "$work/build/pause" ./pause
  go_build -o "$work/pack" ./pack
  # shellcheck disable=SC2046
  "$work/pack" $(./build-arguments.sh) --output "$1/images.tar" --stage "build=$work/build" --image "gcr.io/distroless/cc-debian13:nonroot=$work/base" \
    "$root/Dockerfile#operator=$registry/loadgen-operator:$tag" \
    "$root/Dockerfile#runner=$registry/loadgen-runner:$tag" \
    "$root/Dockerfile#simulator=$registry/loadgen-simulator:$tag" \
    "pause/Dockerfile#0=loadgen.dev/pause:1"
}

shopt -s nullglob
jars=("$root"/{operator,runner,simulator}/target/{sbom*.json,{,lib/}*.jar})
[ ${#jars[@]} -gt 0 ] || { echo "build.sh: no jars; run mvn package -Dmaven.test.skip first" >&2; exit 2; }
libc=$(ldd "$jdk/bin/java" | sed -n -E 's/.*libc\.so\.6 => ([^ ]+) .*/\1/p')
build_once images go.mod go.sum layout.sh build-arguments.sh training/*.java sbom/*.java pack/*.go pause/* launcher/* "$root/Dockerfile" "$jdk/release" "$libc" <(echo "${LOADGEN_SBOM-}") "${jars[@]}"
