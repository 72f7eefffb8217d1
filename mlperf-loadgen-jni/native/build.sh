#!/usr/bin/env bash
# Builds each LoadGen of versions.csv with its JNI shim into a library, and puts them below a folder of classes.
#
#   native/build.sh OUTPUT [VERSION]  OUTPUT/native/<os>-<arch>/libloadgen-jni-<version>.so; VERSION: one of versions.csv,
#                                     or "newest", is the only one that is built; not given or "": all
#   native/build.sh --bench FILE      the no-op system under test in C++ instead, with the newest LoadGen (bench/run.sh)
#
# The source distributions and the results are kept in ${XDG_CACHE_HOME:-~/.cache}/loadgen-operator, each under a hash of
# all that it was made of, so only the first build takes time. Several builds at once are safe.
#
# LOADGEN_SDISTS=FOLDER takes the source distributions from a folder instead of asking pip: for machines without a registry.
set -euo pipefail

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
  *) fail "no name for the processor $(uname -m); add it here and in LoadGenLibrary.java." ;;
esac

case "${1-}" in
  --bench) [ $# -eq 2 ] || fail "usage: build.sh --bench FILE"; target=noop-native ;;
  "" | -*) fail "usage: build.sh OUTPUT_FOLDER [VERSION] | --bench FILE" ;;
  *) target=loadgen-jni; folder=$1/native/$os-$arch ;;
esac

versions=()
declare -A sha256_of
while IFS=, read -r version sha256 _; do
  case $version in "" | "#"*) continue ;; esac
  [[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ && $sha256 =~ ^[0-9a-f]{64}$ ]] ||
    fail "$here/versions.csv: a line must be VERSION,SHA256,RULESETS, found is '$version,$sha256'"
  versions+=("$version")
  sha256_of[$version]=$sha256
done <"$here/versions.csv"
[ ${#versions[@]} -gt 0 ] || fail "$here/versions.csv names no LoadGen"
only=
if [ $target = noop-native ]; then only=newest; else only=${2-}; fi
case $only in
  "") ;;
  newest) versions=("${versions[-1]}") ;;
  *)
    [ -n "${sha256_of[$only]-}" ] || fail "there is no LoadGen $only; there is ${versions[*]} (see $here/versions.csv)"
    versions=("$only")
    ;;
esac

need cmake cmake
need g++ g++
need make make
need tar tar
need sha256sum coreutils

output_of() { # VERSION
  if [ $target = loadgen-jni ]; then echo "$folder/libloadgen-jni-$1.so"; else echo "$output"; fi
}
output=${2-}

hash_of() { sha256sum | cut -c1-24; }

sources=("${BASH_SOURCE[0]}" "$here/CMakeLists.txt")
if [ $target = loadgen-jni ]; then sources+=("$here/loadgen_jni.cc"); else sources+=("$here/../bench/noop_native.cc"); fi
made_of=$({ cat "${sources[@]}"; echo "$target $arch"; g++ -dumpfullversion; g++ -dumpmachine; } | sha256sum)
built() { # VERSION
  echo "$cache/build/$target-$1-$os-$arch-$(echo "$made_of ${sha256_of[$1]}" | hash_of)"
}

missing() { # the versions that are not in the cache
  local version
  for version in "${versions[@]}"; do
    [ -f "$(built "$version")" ] || echo "$version"
  done
}

install_built() {
  local version from to file
  for version in "${versions[@]}"; do
    from=$(built "$version") to=$(output_of "$version")
    if [ -f "$to" ] && cmp -s "$from" "$to"; then continue; fi
    mkdir -p "$(dirname "$to")"
    cp "$from" "$to.$$"
    mv -f "$to.$$" "$to"
  done
  if [ $target != loadgen-jni ]; then return; fi
  # A version that was taken out must not stay in the jar.
  for file in "$folder"/libloadgen-jni*.so; do
    version=${file##*/libloadgen-jni-}
    [ -n "${sha256_of[${version%.so}]-}" ] || rm -f "$file"
  done
}

if [ -z "$(missing)" ]; then
  install_built
  exit 0
fi

mkdir -p "$cache/build"
if command -v flock >/dev/null; then # a second build waits for the first, and finds it done
  exec 9>"$cache/build/lock"
  flock -n 9 || { echo "mlperf-loadgen-jni: waiting for another build of LoadGen"; flock 9; }
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

check_sha256() { # FILE VERSION
  local actual
  actual=$(sha256sum <"$1" | cut -d' ' -f1)
  [ "$actual" = "${sha256_of[$2]}" ] || fail "$1 is not LoadGen $2: its sha256 is $actual, expected is ${sha256_of[$2]}"
}

# Sets sdist to the source distribution of a version, which it downloads once.
find_sdist() { # VERSION
  local version=$1 name=mlcommons_loadgen-$1.tar.gz pip
  sdist=$cache/sdist/$name
  if [ -n "${LOADGEN_SDISTS-}" ]; then
    sdist=$LOADGEN_SDISTS/$name
    [ -r "$sdist" ] || fail "LOADGEN_SDISTS: cannot read $sdist"
  elif [ ! -f "$sdist" ]; then
    if command -v pip >/dev/null; then pip=(pip)
    elif command -v pip3 >/dev/null; then pip=(pip3)
    elif python3 -m pip --version >/dev/null 2>&1; then pip=(python3 -m pip)
    else fail "'pip' is needed to download LoadGen and was not found. On Debian and Ubuntu: apt-get install python3-pip"
    fi
    echo "mlperf-loadgen-jni: downloading the source distribution of mlcommons-loadgen $version"
    # With a hash, pip checks the file before it runs the metadata step of its setup.py.
    echo "mlcommons-loadgen==$version --hash=sha256:${sha256_of[$version]}" >"$work/requirements.txt"
    "${pip[@]}" download --disable-pip-version-check --no-deps --no-binary :all: --require-hashes \
      -r "$work/requirements.txt" -d "$work" >"$work/pip.log" 2>&1 ||
      { tail -n 30 "$work/pip.log" >&2
        fail "pip could not download mlcommons-loadgen $version. Check pip's configuration, or set LOADGEN_SDISTS to a folder that has $name"; }
    check_sha256 "$work/$name" "$version"
    mkdir -p "$cache/sdist"
    mv -f "$work/$name" "$sdist"
  fi
  check_sha256 "$sdist" "$version"
}

build() { # VERSION
  local version=$1 bench=OFF result
  find_sdist "$version"
  echo "mlperf-loadgen-jni: building LoadGen $version (once, about 30 s)"
  tar -xzf "$sdist" -C "$work"
  if [ $target = noop-native ]; then bench=ON; fi
  {
    cmake -S "$here" -B "$work/build-$version" -DCMAKE_BUILD_TYPE=Release \
      -DLOADGEN_SOURCE_DIR="$work/mlcommons_loadgen-$version" -DJNI_INCLUDE_DIR="$jni" -DLOADGEN_BENCH=$bench &&
      cmake --build "$work/build-$version" --target $target --parallel "$(nproc)"
  } >"$work/build.log" 2>&1 || { tail -n 60 "$work/build.log" >&2; fail "the build of LoadGen $version failed"; }
  if [ $target = loadgen-jni ]; then result=libloadgen-jni.so; else result=noop-native; fi
  mv -f "$work/build-$version/$result" "$(built "$version")"
}

for version in $(missing); do
  build "$version"
done
install_built
