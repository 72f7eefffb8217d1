# To be sourced. Builds programs once, and keeps them in the user's cache, keyed by what they are made of.

# What the programs are built with: Go. Scripts that build with something else replace it.
made_with() {
  command -v go >/dev/null || { echo "build.sh: go is needed (Debian package golang, 1.26 or one that may download it)" >&2; exit 2; }
  go env GOVERSION GOARCH
}

# build_once NAME INPUT...: prints the folder of the programs. Unless it is in the cache, the caller's function
# `build FOLDER` fills it first; of two callers at once the second waits. Inputs are files, and count besides build.sh.
build_once() {
  local name=$1 tools key cache programs
  shift
  tools=$(made_with)
  key=$(cat ../build-once.sh build.sh "$@" <(echo "$tools") | sha256sum | cut -c1-12)
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/loadgen-operator
  programs=$cache/$name-$key
  mkdir -p "$cache"
  exec 9>"$cache/${name%%-*}.lock"
  flock 9
  if [ ! -e "$programs" ]; then
    rm -rf "$programs.part"
    mkdir "$programs.part"
    build "$programs.part" >&2
    mv "$programs.part" "$programs"
  fi
  echo "$programs"
}
