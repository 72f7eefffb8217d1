#!/usr/bin/env bash
# Writes every generated file of the repository again: custom resources and the chart's copies of them, the API reference,
# tables of docs and of the chart's README, copies of dashboard and alerts, and the objects of the golden tests. A test fails
# while one of them is stale: the same test, marked @Tag("generated"), writes the file when this script runs it.
#
#   hack/update.sh [MAVEN-OPTION...]      such as -o, or -Dtest=GoldenTest for one test alone
#
# Look at the difference before you commit it: a golden file that changes is a change of what the operator does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t files < <(grep -rl --include='*.java' '^@Tag("generated")' -- */src/test/java | sort)
modules=$(printf '%s\n' "${files[@]}" | cut -d/ -f1 | uniq | paste -sd,)
tests=$(printf '%s\n' "${files[@]}" | xargs -n 1 basename -s .java | paste -sd,)

exec mvn --batch-mode --no-transfer-progress --quiet -Pquick -pl "$modules" -am test \
  -Dtest="$tests" -Dsurefire.failIfNoSpecifiedTests=false -Dgenerated.update=true "$@"
