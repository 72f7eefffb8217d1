#!/usr/bin/env bash
# Measures the runner's path from LoadGen to the wire, beside a Python harness and beside LoadGen alone.
#
#   hack/benchmark/run.sh [--rounds N] [--harness DIR] [--quick] [--clients runner] [--class-path CP]
#                         [--java-options "..."] [--no-noop]
#
#   --rounds N       rounds of which medians are taken; default 5
#   --harness DIR    the folder `harness` of the repository openshift-psap/mlperf-inference-6.1-redhat; without it
#                    the runner is measured alone
#   --quick          one short round without LoadGen alone: shows that everything works, measures nothing
#   --clients runner the runner alone, even with --harness
#   --class-path CP  class path of the runner; default: what Maven builds
#   --java-options   options of the runner's JVM; default -XX:MaxRAMPercentage=20, as on one machine
#   --no-noop        not LoadGen alone (mlperf-loadgen-jni/bench/run.sh)
#
# Tables go to the standard output as Markdown, progress to the standard error; README.md says what they mean.
# Needs two cores that are otherwise idle, Linux, Go 1.22, Python 3.11, a JDK 25, and Maven unless --class-path is given.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$here/target
cache=${XDG_CACHE_HOME:-$HOME/.cache}/loadgen-operator

fail() {
  echo "run.sh: $*" >&2
  exit 1
}

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
}

rounds=5 harness='' quick='' class_path='' noop=yes java_options=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --quick) quick=--quick noop='' ;;
    --no-noop) noop='' ;;
    --rounds | --harness | --clients | --class-path | --java-options)
      [ $# -ge 2 ] || fail "$1 needs a value"
      case $1 in
        --rounds) rounds=$2 ;;
        --harness) harness=$2 ;;
        --clients) clients=$2 ;;
        --class-path) class_path=$2 ;;
        --java-options) java_options=("--java-options=$2") ;;
      esac
      shift
      ;;
    *) fail "unknown option $1; see --help" ;;
  esac
  shift
done
case $rounds in '' | *[!0-9]* | 0) fail "--rounds $rounds: a number from 1 is needed" ;; esac
case ${clients-all} in
  all) ;;
  runner) harness='' ;;
  *) fail "--clients ${clients}: 'runner' is the only choice" ;;
esac
[ -z "$harness" ] || [ -f "$harness/harness_main.py" ] ||
  fail "--harness $harness: there is no harness_main.py; name the folder 'harness' of a clone of openshift-psap/mlperf-inference-6.1-redhat"

# --- what must be there -------------------------------------------------------------------------------------

need() { # COMMAND PACKAGE
  command -v "$1" >/dev/null || fail "'$1' was not found. On Debian and Ubuntu: apt-get install $2"
}
need go golang-go
need python3 python3-venv
need taskset util-linux

java=
for home in "${JAVA_HOME-}" /usr/lib/jvm/*; do
  if [ -x "$home/bin/javac" ] && [ "$("$home/bin/javac" -version 2>&1 | sed 's/[^0-9]*\([0-9]*\).*/\1/')" -ge 25 ]; then
    java=$home/bin/java
    export JAVA_HOME=$home
    break
  fi
done
[ -n "$java" ] || fail "a JDK 25 was not found. Set JAVA_HOME to one; on Debian and Ubuntu: apt-get install openjdk-25-jdk-headless"

# --- what is built ------------------------------------------------------------------------------------------

mkdir -p "$work"
echo "building the stub" >&2
(cd "$here/stub" && go build -o "$work/stub" .)

if [ -z "$class_path" ]; then
  need mvn maven
  echo "building the runner" >&2
  (cd "$root" && mvn -q -B -pl runner -am -DskipTests package \
    dependency:build-classpath -Dmdep.outputFile=target/runtime-class-path.txt -Dmdep.includeScope=runtime) >&2
  class_path=$root/runner/target/classes:$(cat "$root/runner/target/runtime-class-path.txt")
fi

options=()
if [ -n "$harness" ]; then
  venv=$cache/benchmark-harness-venv
  # What its default path imports, and LoadGen in the runner's version.
  if [ ! -f "$venv/complete" ]; then
    echo "installing what the Python harness imports into $venv" >&2
    python3 -m venv --clear "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/harness-requirements.txt" >&2
    touch "$venv/complete"
  fi
  options=(--harness "$harness" --harness-python "$venv/bin/python")
fi

# --- what is measured ---------------------------------------------------------------------------------------

python3 -B "$here/benchmark.py" --rounds "$rounds" $quick --stub "$work/stub" --java "$java" --class-path "$class_path" \
  "${java_options[@]}" "${options[@]}" --records "$work/records.jsonl"

if [ -n "$noop" ]; then
  echo
  echo "### LoadGen alone"
  echo
  "$root/mlperf-loadgen-jni/bench/run.sh" "$rounds"
fi
