#!/usr/bin/env bash
# Measures the runner's path from LoadGen to the wire, beside other clients and beside LoadGen alone, and holds what it
# finds against the project's targets.
#
#   hack/benchmark/run.sh [--rounds N] [--quick] [--cases A,B] [--clients A,B] [--harness DIR] [--rivals DIR]
#                         [--transport eventloop|okhttp] [--java-options "..."] [--class-path CP] [--into FILE]
#
#   --rounds N       rounds of which medians are taken; default 5
#   --quick          one short round: shows that everything works, measures nothing
#   --cases          of sustained, paced, ttft, flush, joined, streams, overload, loops, busy, binding, and offline, which has
#                    no target; default: all but offline
#   --clients        of runner, okhttp (the runner on OkHttp), harness, control, vllm, rust; default: all
#   --harness DIR    the folder `harness` of the repository openshift-psap/mlperf-inference-6.1-redhat
#   --rivals DIR     where hack/real-servers/setup.sh has installed vLLM and SGLang; default: its own default
#   --transport      forces the transport of the runner, which otherwise chooses as it does in a pod
#   --java-options   options of the runner's JVM; default -XX:MaxRAMPercentage=20, as on one machine
#   --class-path CP  class path of the runner; default: what Maven builds
#   --into FILE      puts the report into a page as well, such as docs/performance.md, instead of the one that is there
#
# The report goes to the standard output as Markdown, progress to the standard error; README.md says what is measured
# and how to get each client. A client that is not installed is named in the report. Exit codes: 0 all targets that were
# measured are met, 1 something failed, 2 wrong arguments, 3 a target was missed.
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

wrong() {
  echo "run.sh: $*" >&2
  exit 2
}

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
}

harness='' class_path='' rivals=$cache/real-servers options=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --quick) options+=(--quick) ;;
    --rounds | --cases | --clients | --harness | --rivals | --transport | --java-options | --class-path | --into)
      [ $# -ge 2 ] || wrong "$1 needs a value"
      case $1 in
        --harness) harness=$2 ;;
        --rivals) rivals=$2 ;;
        --class-path) class_path=$2 ;;
        *) options+=("$1=$2") ;;
      esac
      shift
      ;;
    *) wrong "unknown option $1; see --help" ;;
  esac
  shift
done
[ -z "$harness" ] || [ -f "$harness/harness_main.py" ] ||
  wrong "--harness $harness: there is no harness_main.py; name the folder 'harness' of a clone of openshift-psap/mlperf-inference-6.1-redhat"

# --- what must be there -------------------------------------------------------------------------------------

need() { # COMMAND PACKAGE
  command -v "$1" >/dev/null || fail "'$1' was not found. On Debian and Ubuntu: apt-get install $2"
}
need go golang-go
need python3 python3-venv
need taskset util-linux
need prlimit util-linux

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
echo "building the stub and the control" >&2
(cd "$here" && go build -o "$work/stub" ./stub && go build -o "$work/control" ./control)

if [ -z "$class_path" ]; then
  need mvn maven
  echo "building the runner" >&2
  (cd "$root" && mvn -q -B -pl runner -am -Dmaven.test.skip package \
    dependency:build-classpath -Dmdep.outputFile=target/runtime-class-path.txt -Dmdep.includeScope=runtime) >&2
  class_path=$root/runner/target/classes:$(cat "$root/runner/target/runtime-class-path.txt")
fi

if [ -n "$harness" ]; then
  venv=$cache/benchmark-harness-venv
  # What its default path imports, and LoadGen in the runner's version.
  if [ ! -f "$venv/complete" ]; then
    echo "installing what the Python harness imports into $venv" >&2
    python3 -m venv --clear "$venv"
    "$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$here/harness-requirements.txt" >&2
    touch "$venv/complete"
  fi
  options+=(--harness "$harness" --harness-python "$venv/bin/python")
fi

# --- what is measured ---------------------------------------------------------------------------------------

exec python3 -B "$here/benchmark.py" "${options[@]}" --root "$root" --stub "$work/stub" --control "$work/control" \
  --rivals "$rivals" --java "$java" --class-path "$class_path" --records "$work/records.jsonl"
