#!/usr/bin/env bash
# Prints the version of the project, which is that of the root's pom.xml, or sets it wherever it is named: poms, chart,
# manifests, samples, Dockerfile, the defaults of the operator, and pages.
#
#   hack/version.sh                    prints the version without -SNAPSHOT
#   hack/version.sh --full             prints it as pom.xml has it
#   hack/version.sh 0.2.0-SNAPSHOT     sets it; images and charts get 0.2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

full=$(grep -m 1 -o '<version>[^<]*' pom.xml | cut -d'>' -f2)
short=${full%-SNAPSHOT}

case ${1-} in
  '') echo "$short"; exit ;;
  --full) echo "$full"; exit ;;
esac
new=$1
[[ $new =~ ^[0-9]+\.[0-9]+\.[0-9]+(-rc\.[0-9]+)?(-SNAPSHOT)?$ ]] || {
  echo "version.sh: $new is not a version like 0.2.0, 0.2.0-rc.1 or 0.2.0-SNAPSHOT" >&2
  exit 2
}

old=${short//./\\.}
tag=${new%-SNAPSHOT}
# The end of a version: whatever cannot be a part of a longer one.
end='($|[^0-9A-Za-z.-])'

edit() { # SED-SCRIPT PATTERN [NAME]: edits all files of that name that have the pattern, but for what builds and runs have left
  find . \( -name .git -o -name target -o -path ./results \) -prune -o -type f -name "${3-*}" -print0 \
    | { xargs -0 grep -lIE --null -e "$2" || true; } | xargs -0 -r sed -i -E "$1"
}

edit "s#<version>$old(-SNAPSHOT)?</version>#<version>$new</version>#" "<version>$old(-SNAPSHOT)?</version>" pom.xml
# Tags of images, whatever their registry.
edit "s#((operator|runner|simulator):)$old$end#\1$tag\3#g" "(operator|runner|simulator):$old$end"
edit "s#(loadgen-operator )$old #\1$tag #" "loadgen-operator $old " '*.java'
sed -i -E "s#^(version|appVersion): (\"?)$old(\"?)\$#\1: \2$tag\3#" charts/loadgen-operator/Chart.yaml
sed -i -E "s#^ARG VERSION=$old\$#ARG VERSION=$tag#" Dockerfile
edit "s#version = \"loadgen $old\"#version = \"loadgen $tag\"#" "version = \"loadgen $old\"" '*.java'
echo "$full -> $new"
