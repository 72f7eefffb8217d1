#!/usr/bin/env bash
# Installs MLflow for tests, once, and prints the folder of its packages, for PYTHONPATH. It needs Python 3.11 or newer
# with pip, and takes about a minute.
set -euo pipefail
cd "$(dirname "$0")"
. ../build-once.sh

made_with() {
  command -v python3 >/dev/null || { echo "build.sh: python3 is needed (Debian package python3-pip)" >&2; exit 2; }
  python3 -c 'import sys; print(*sys.version_info[:2])'
}

build() {
  echo "installing MLflow into the user's cache, which takes a minute"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --target "$1" -r requirements.txt || {
    echo "MLflow cannot be installed: it needs Python 3.11 or newer with pip, and a package registry" >&2
    exit 2
  }
}

build_once mlflow requirements.txt
