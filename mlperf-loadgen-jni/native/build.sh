#!/usr/bin/env bash
# Builds LoadGen with its JNI shim into one library, and puts it below a folder of classes.
#
#   native/build.sh OUTPUT        OUTPUT/native/<os>-<arch>/libloadgen-jni.so
#   native/build.sh --bench FILE  the no-op system under test in C++ instead (bench/run.sh)
#
# The source distribution and the results are kept in ${XDG_CACHE_HOME:-~/.cache}/loadgen-operator, each under a hash of
# all that it was made of, so only the first build takes time. Several builds at once are safe.
#
# LOADGEN_SDIST=FILE takes the source distribution from a file instead of asking pip: for machines without a registry.
set -euo pipefail

version=6.0.17
sha256=a2e85d09e3cc0c606f89bfe1fbf97537c8b5b238ae0afbd923ad9c710fcf2ca8
sdist_name=mlcommons_loadgen-$version.tar.gz

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/loadgen-operator

fail() {
  echo "mlperf-loadgen-jni: $*" >&2
  exit 1
}

need() { # TOOL PACKAGE
  command -v "$1" >/dev/null || fail "'$1' is needed to build LoadGen and was not found. On Debian and Ubuntu: apt-get install $2"
}

case "$(uname -s)" in
  Linux) os=linux ;;
  *) fail "LoadGen is built on Linux only, this is $(uname -s)." ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) arch=x86_64 ;;
  aarch64 | arm64) arch=aarch64 ;;
  *) fail "no name for the processor $(uname -m); add it here and in NativeLoadGen.java." ;;
esac

case "${1-}" in
  --bench) [ $# -eq 2 ] || fail "usage: build.sh --bench FILE"; target=noop-native; output=$2 ;;
  "" | -*) fail "usage: build.sh OUTPUT_FOLDER | --bench FILE" ;;
  *) target=loadgen-jni; output=$1/native/$os-$arch/libloadgen-jni.so ;;
esac

need cmake cmake
need g++ g++
need make make
need tar tar
need sha256sum coreutils

hash_of() { sha256sum | cut -c1-24; }

sources=("${BASH_SOURCE[0]}" "$here/CMakeLists.txt")
if [ $target = loadgen-jni ]; then sources+=("$here/loadgen_jni.cc"); else sources+=("$here/../bench/noop_native.cc"); fi
key=$({ cat "${sources[@]}"; echo "$sha256 $target $arch"; g++ -dumpfullversion; g++ -dumpmachine; } | hash_of)
built=$cache/build/$target-$version-$os-$arch-$key

install_built() {
  if [ -f "$output" ] && cmp -s "$built" "$output"; then return; fi
  mkdir -p "$(dirname "$output")"
  cp "$built" "$output.$$"
  mv -f "$output.$$" "$output"
}

if [ -f "$built" ]; then
  install_built
  exit 0
fi

mkdir -p "$cache/build"
if command -v flock >/dev/null; then # a second build waits for the first, and finds it done
  exec 9>"$cache/build/lock"
  flock -n 9 || { echo "mlperf-loadgen-jni: waiting for another build of LoadGen"; flock 9; }
  if [ -f "$built" ]; then
    install_built
    exit 0
  fi
fi

work=$(mktemp -d "$cache/build/work.XXXXXX")
trap 'rm -rf "$work"' EXIT

# jni.h has been the same for many releases: any JDK's will do.
jni_include() {
  local home
  for home in "${JAVA_HOME-}" "$(dirname "$(dirname "$(readlink -f "$(command -v javac || echo /none/none/none)")")")" \
    /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/*; do
    if [ -n "$home" ] && [ -f "$home/include/jni.h" ] && [ -d "$home/include/$os" ]; then
      echo "$home/include"
      return
    fi
  done
  fail "jni.h was found in no JDK. Set JAVA_HOME to a JDK; on Debian and Ubuntu: apt-get install default-jdk-headless"
}
jni=
if [ $target = loadgen-jni ]; then jni=$(jni_include); fi

check_sha256() { # FILE
  local actual
  actual=$(sha256sum <"$1" | cut -d' ' -f1)
  [ "$actual" = "$sha256" ] || fail "$1 is not LoadGen $version: its sha256 is $actual, expected is $sha256"
}

sdist=$cache/sdist/$sdist_name
if [ -n "${LOADGEN_SDIST-}" ]; then
  [ -r "$LOADGEN_SDIST" ] || fail "LOADGEN_SDIST: cannot read $LOADGEN_SDIST"
  sdist=$LOADGEN_SDIST
elif [ ! -f "$sdist" ]; then
  if command -v pip >/dev/null; then pip=(pip)
  elif command -v pip3 >/dev/null; then pip=(pip3)
  elif python3 -m pip --version >/dev/null 2>&1; then pip=(python3 -m pip)
  else fail "'pip' is needed to download LoadGen and was not found. On Debian and Ubuntu: apt-get install python3-pip"
  fi
  echo "mlperf-loadgen-jni: downloading the source distribution of mlcommons-loadgen $version"
  # With a hash, pip checks the file before it runs the metadata step of its setup.py.
  echo "mlcommons-loadgen==$version --hash=sha256:$sha256" >"$work/requirements.txt"
  "${pip[@]}" download --disable-pip-version-check --no-deps --no-binary :all: --require-hashes \
    -r "$work/requirements.txt" -d "$work" >"$work/pip.log" 2>&1 ||
    { tail -n 30 "$work/pip.log" >&2
      fail "pip could not download mlcommons-loadgen $version. Check pip's configuration, or set LOADGEN_SDIST to the file $sdist_name"; }
  check_sha256 "$work/$sdist_name"
  mkdir -p "$cache/sdist"
  mv -f "$work/$sdist_name" "$sdist"
fi
check_sha256 "$sdist"

echo "mlperf-loadgen-jni: building LoadGen $version (once, about 30 s)"
tar -xzf "$sdist" -C "$work"
{
  bench=OFF
  if [ $target = noop-native ]; then bench=ON; fi
  cmake -S "$here" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DLOADGEN_SOURCE_DIR="$work/mlcommons_loadgen-$version" \
    -DJNI_INCLUDE_DIR="$jni" -DLOADGEN_BENCH=$bench &&
    cmake --build "$work/build" --target $target --parallel "$(nproc)"
} >"$work/build.log" 2>&1 || { tail -n 60 "$work/build.log" >&2; fail "the build of LoadGen failed"; }

if [ $target = loadgen-jni ]; then result=$work/build/libloadgen-jni.so; else result=$work/build/noop-native; fi
mv -f "$result" "$built"
install_built
