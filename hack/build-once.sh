# To be sourced. Builds programs once, and keeps them in the user's cache, keyed by what they are made of.

# What the programs are built with: Go. Scripts that build with something else replace it.
made_with() {
  command -v go >/dev/null || { echo "build.sh: go is needed (Debian package golang, 1.26 or one that may download it)" >&2; exit 2; }
  go env GOVERSION GOARCH
}

# go_build ARGUMENT...: builds one of the programs of go.mod, behind whatever else the machine does. Go's compiler takes a
# third less time if it collects less garbage and writes nothing for debuggers.
go_build() {
  CGO_ENABLED=0 GOGC=400 nice -n 5 go build -trimpath -buildvcs=false -gcflags=all=-dwarf=false "$@"
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
