#!/usr/bin/env bash
# How long the operator takes to be ready and how much memory it holds when it has nothing to do, on a real API server:
# as its image starts it, beside the same jars with nothing but Java's defaults, in turn. Prints a Markdown table of
# medians. Needs what hack/kubernetes and hack/images need; `mvn package -Dmaven.test.skip` comes first.
#
#   hack/benchmark/operator.sh [ROUNDS]      default: 5
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
rounds=${1:-5}
idle=20 # seconds from ready to the look at its memory

programs=$("$root/hack/kubernetes/build.sh")
work=$(mktemp -d)
ended() {
  kill "${operator:-}" "${cluster:-}" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap ended EXIT

"$root/hack/images/layout.sh" "$work/image" >"$work/layout.log" 2>&1 || { cat "$work/layout.log" >&2; exit 2; }
"$programs/cluster" --programs "$programs" --state "$work/cluster" >"$work/cluster.log" &
cluster=$!
until grep -qx ready "$work/cluster.log"; do
  kill -0 "$cluster" 2>/dev/null || { echo "operator.sh: the cluster did not start" >&2; exit 2; }
  sleep 0.2
done
kubectl=("$programs/kubectl" --kubeconfig "$work/cluster/kubeconfig")
"${kubectl[@]}" apply --server-side -k "$root/manifests/crds" >/dev/null
"${kubectl[@]}" wait --for=condition=Established crd --all --timeout=30s >/dev/null
sed "s#/opt/loadgen/#$work/image/operator/#g" "$work/image/operator/classpath" >"$work/classpath"

# Milliseconds until ready, MiB resident and seconds of processor time after the idle time.
measure() { # FILE OPTION...
  local file=$1 begin ready status
  shift
  begin=$(date +%s%N)
  KUBECONFIG=$work/cluster/kubeconfig LOADGEN_HEALTH_PORT=18081 "$work/image/java/bin/java" "$@" --sun-misc-unsafe-memory-access=allow \
    "@$work/classpath" dev.loadgen.operator.Main >"$work/operator.log" 2>&1 &
  operator=$!
  until curl --silent --fail --output /dev/null http://127.0.0.1:18081/readyz; do
    kill -0 "$operator" 2>/dev/null || { cat "$work/operator.log" >&2; exit 1; }
    sleep 0.02
  done
  ready=$(date +%s%N)
  sleep "$idle"
  status=/proc/$operator/stat
  echo "$(((ready - begin) / 1000000)) $(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$operator/status")" \
    "$(awk -v ticks="$(getconf CLK_TCK)" '{ print ($14 + $15) / ticks }' "$status")" >>"$work/$file.times"
  kill "$operator"
  wait "$operator" || true
}

row() { # FILE LABEL
  local column medians=()
  for column in 1 2 3; do
    medians+=("$(cut -d' ' -f"$column" "$work/$1.times" | sort -n | sed -n "$(((rounds + 1) / 2))p")")
  done
  echo "| $2 | ${medians[0]} ms | ${medians[1]} MiB | ${medians[2]} s |"
}

for round in $(seq "$rounds"); do
  echo "round $round of $rounds" >&2
  measure image -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xms16m -Xmx256m -XX:AOTCache="$work/image/operator/operator.aot" \
    -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0
  measure defaults -Xmx256m
done
echo "| | ready after | resident when idle | processor time until then |"
echo "| --- | ---: | ---: | ---: |"
row image "as in its image"
row defaults "the same jars with Java's defaults"
