#!/usr/bin/env bash
# Prints the build arguments of the Dockerfile that say what an image is made of:
#
#   docker buildx build $(hack/images/build-arguments.sh) --target operator .
#
# The version is the chart's; revision and time are those of the commit, so that a commit gives one image. REVISION and
# SOURCE_DATE_EPOCH take their place where there is no Git.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=$(sed -n 's/^appVersion: *"\{0,1\}\([^"]*\)"\{0,1\} *$/\1/p' charts/loadgen-operator/Chart.yaml)
revision=${REVISION-}
seconds=${SOURCE_DATE_EPOCH-}
if git rev-parse --quiet --verify HEAD >/dev/null 2>&1; then
  if [ -z "$revision" ]; then
    revision=$(git rev-parse HEAD)
    git diff --quiet HEAD -- || revision+=-dirty
  fi
  [ -n "$seconds" ] || seconds=$(git show --no-patch --format=%ct HEAD)
fi
echo "--build-arg VERSION=$version --build-arg REVISION=${revision:-unknown}" \
  "--build-arg CREATED=$(date --utc --date="@${seconds:-0}" +%Y-%m-%dT%H:%M:%SZ)"
