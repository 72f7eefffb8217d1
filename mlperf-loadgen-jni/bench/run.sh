#!/usr/bin/env bash
# What the Java binding costs: LoadGen's rate with systems under test that do nothing, in C++, Java and Python, with the
# same settings. Prints a table of ratios to C++, each the median of ROUNDS rounds (3 unless given) in which the variants
# take turns. Rates are LoadGen's own, from its detail log: in Server the queries are scheduled faster than anything
# can take them, so the rate is the highest at which they are issued.
#
#   mlperf-loadgen-jni/bench/run.sh [ROUNDS]
#
# VARIANTS (of native, inline, virtual and python) and SCENARIOS (of Server and Offline) narrow it down; each rate is also
# a line of target/bench/rates.txt: variant, scenario, token latencies, samples a second.
#
# Needs a JDK 25, Python 3 with venv, and what native/build.sh needs. An otherwise idle machine gives steadier numbers.
set -euo pipefail

rounds=${1:-3}
server_samples=${SERVER_SAMPLES:-450000}
offline_samples=${OFFLINE_SAMPLES:-1000000}
variants=${VARIANTS:-native inline virtual python}
scenarios=${SCENARIOS:-Server Offline}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
module=$(dirname "$here")
version=$(tail -n 1 "$module/native/versions.csv" | cut -d, -f1) # the newest, as for Java and C++
cache=${XDG_CACHE_HOME:-$HOME/.cache}/loadgen-operator
work=$module/target/bench

fail() {
  echo "bench: $*" >&2
  exit 1
}

java=
for home in "${JAVA_HOME-}" /usr/lib/jvm/*; do
  if [ -x "$home/bin/javac" ] && [ "$("$home/bin/javac" -version 2>&1 | sed 's/[^0-9]*\([0-9]*\).*/\1/')" -ge 25 ]; then
    java=$home/bin
    break
  fi
done
[ -n "$java" ] || fail "a JDK 25 was not found. Set JAVA_HOME to one; on Debian and Ubuntu: apt-get install openjdk-25-jdk-headless"
command -v python3 >/dev/null || fail "'python3' was not found. On Debian and Ubuntu: apt-get install python3 python3-venv"

mkdir -p "$work"
[ -f "$module/target/classes/dev/loadgen/mlperf/LoadGen.class" ] ||
  (cd "$module/.." && mvn -q -B -pl mlperf-loadgen-jni compile)
"$module/native/build.sh" "$module/target/classes"
"$module/native/build.sh" --bench "$work/noop-native"
"$java/javac" -Xlint:-classfile -cp "$module/target/classes" -d "$work/classes" "$here/Noop.java"
venv=$cache/bench-venv-$version
if [[ " $variants " = *" python "* ]] && { [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c "import mlperf_loadgen" 2>/dev/null; }; then
  echo "bench: installing mlcommons-loadgen $version for Python into $venv"
  python3 -m venv --clear "$venv"
  "$venv/bin/python" -m pip install -q --disable-pip-version-check "mlcommons-loadgen==$version"
fi

logs=$work/logs
run() { # VARIANT SCENARIO TOKENS SAMPLES
  mkdir -p "$logs"
  case $1 in
    native) "$work/noop-native" "${@:2}" "$logs" ;;
    python) "$venv/bin/python" "$here/noop.py" "${@:2}" "$logs" ;;
    inline | virtual) "$java/java" -Xmx2g --enable-native-access=ALL-UNNAMED -cp "$module/target/classes:$work/classes" Noop "$@" "$logs" ;;
    *) fail "VARIANTS: $1 is none of native, inline, virtual and python" ;;
  esac
  local rate key=result_completed_samples_per_sec
  [ "$2" = Server ] || key=result_samples_per_second
  rate=$(sed -n "s/.*\"$key\", \"value\": \([0-9.e+]*\),.*/\1/p" "$logs/mlperf_log_detail.txt")
  [ -n "$rate" ] || fail "$* left no $key in $logs/mlperf_log_detail.txt"
  echo "$1 $2 $3 $rate" >>"$work/rates.txt"
}

: >"$work/rates.txt"
for round in $(seq "$rounds"); do
  echo "bench: round $round of $rounds" >&2
  for tokens in false true; do
    for variant in $variants; do
      for scenario in $scenarios; do
        case $scenario in
          Server) run "$variant" Server $tokens "$server_samples" ;;
          Offline) run "$variant" Offline $tokens "$offline_samples" ;;
          *) fail "SCENARIOS: $scenario is neither Server nor Offline" ;;
        esac
      done
    done
  done
done

python3 - "$work/rates.txt" "$rounds" <<'PYTHON'
import statistics
import sys

rates = {}
with open(sys.argv[1]) as lines:
    for line in lines:
        variant, scenario, tokens, rate = line.split()
        rates.setdefault((variant, scenario, tokens), []).append(float(rate))

columns = list(dict.fromkeys((scenario, tokens) for _, scenario, tokens in rates))
columns.sort(key=lambda column: column[0] != "Server")
names = {
    "native": "C++, no binding",
    "inline": "Java, completed within issueQuery",
    "virtual": "Java, a virtual thread per sample",
    "python": "Python",
}
print("| system under test | " + " | ".join(s + (", token latencies" if t == "true" else "") for s, t in columns) + " |")
print("|---|" + "---|" * len(columns))
for variant, name in names.items():
    if not any(v == variant for v, _, _ in rates):
        continue
    cells = []
    for scenario, tokens in columns:
        rate = statistics.median(rates[variant, scenario, tokens])
        native = rates.get(("native", scenario, tokens))
        ratio = f"{rate / statistics.median(native):.2f} " if native else ""
        cells.append(f"{ratio}({rate / 1000:.0f} k/s)")
    print(f"| {name} | " + " | ".join(cells) + " |")
print(f"\nRatios to C++ and samples a second; medians of {sys.argv[2]} rounds.")
PYTHON
