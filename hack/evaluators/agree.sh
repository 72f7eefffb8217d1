#!/usr/bin/env bash
# Holds the evaluators against MLPerf's own on inputs that nobody has seen: README.md.
#
#   hack/evaluators/agree.sh CHECKOUT SEED...
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: $0 CHECKOUT-OF-MLCOMMONS-INFERENCE SEED..." >&2; exit 2; }
checkout=$(realpath "$1")
shift
python=${PYTHON:-python3}
case $python in */*) python=$(realpath --no-symlinks "$python") ;; esac
punkt=()
[ -z "${PUNKT:-}" ] || punkt=(--punkt "$(realpath "$PUNKT")")
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for seed in "$@"; do
  echo "seed $seed"
  "$python" accuracy/src/test/python/reference.py --inference "$checkout" --out "$folder/$seed" --seed "$seed" --cases "${CASES:-200}" "${punkt[@]}" \
    2> "$folder/log" || { cat "$folder/log" >&2; exit 1; }
  mvn --batch-mode --no-transfer-progress --quiet -Pquick -pl accuracy -am test -Daccuracy.reference="$folder/$seed" \
    -Dtest='dev/loadgen/accuracy/**/*Test' -Dsurefire.failIfNoSpecifiedTests=false
done
