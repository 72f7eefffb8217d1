#!/usr/bin/env bash
# Makes a release: tests, images, chart, manifests, bills of materials and checksums. The version is that of the root's
# pom.xml (hack/version.sh), without -SNAPSHOT.
#
#   hack/release.sh [--dry-run] [--skip-tests] [--push REGISTRY] [FOLDER]
#
#   --dry-run        checks what can be checked at once, and prints the commands of the rest instead of running them
#   --skip-tests     for a commit that CI has already tested
#   --push REGISTRY  also builds the images for amd64 and arm64 with Docker and pushes them and the chart, such as to
#                    ghcr.io/loadgen-operator. Without it nothing leaves this machine
#   FOLDER           where the release goes; target/release-VERSION without it. It must not exist
#
# To release 0.2.0: `hack/version.sh 0.2.0`, an entry in CHANGELOG.md, a commit, this script, a tag, and then
# `hack/version.sh 0.3.0-SNAPSHOT`. Needs what `mvn verify` needs, and Go; for --push Docker with buildx.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() { echo "release.sh: $*" >&2; exit 2; }

dry=
tests=yes
registry=
folder=
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry=yes ;;
    --skip-tests) tests= ;;
    --push) registry=${2:?--push needs a registry}; shift ;;
    -h | --help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit ;;
    -*) fail "unknown option $1" ;;
    *) folder=$1 ;;
  esac
  shift
done

version=$(hack/version.sh)
folder=${folder:-target/release-$version}

step() { # COMMAND...: runs it, or prints it
  printf '+ %s\n' "$*" >&2
  [ -n "$dry" ] || "$@"
}

# What would make a release that nobody can name or repeat. A dry run reports it and goes on.
problems=()
[ "$(hack/version.sh --full)" = "$version" ] || problems+=("the version is $(hack/version.sh --full); set it with hack/version.sh $version")
grep -q "^## \[\{0,1\}$version" CHANGELOG.md || problems+=("CHANGELOG.md has no entry \"## $version\"")
if commit=$(git rev-parse --quiet --verify HEAD 2>/dev/null); then
  [ -z "$(git status --porcelain --untracked-files=no)" ] || problems+=("the work tree has changes that are not committed")
else
  commit=${REVISION:-unknown}
  problems+=("this is not a Git checkout, so nobody can tell what the release is made of")
fi
[ ! -e "$folder" ] || problems+=("$folder exists")
for problem in "${problems[@]}"; do echo "release.sh: $problem" >&2; done
[ -n "$dry" ] || [ ${#problems[@]} -eq 0 ] || exit 2

mvn=(mvn --batch-mode --no-transfer-progress "-Dloadgen.commit=$commit")
if [ -n "$tests" ]; then
  step .ci/run
fi
step "${mvn[@]}" -Dmaven.test.skip clean package

step mkdir -p "$folder"
if [ -n "$dry" ]; then
  images='IMAGES'
  helm='HELM'
  printf '+ %s\n' 'IMAGES=$(hack/images/build.sh)' 'HELM=$(hack/helm/build.sh)' >&2
else
  images=$(hack/images/build.sh)
  helm=$(hack/helm/build.sh)
fi
step cp "$images/images.tar" "$folder/loadgen-images-$version-linux-$(uname -m).tar"
for program in operator runner simulator; do
  step cp "$images/loadgen-$program.cdx.json" "$folder/loadgen-$program-$version.cdx.json"
done
step "$helm/helm" package charts/loadgen-operator --destination "$folder"
# The manifests as they are in the commit, with the custom resources.
step git archive --prefix="loadgen-operator-$version/" --output "$folder/manifests-$version.tar.gz" HEAD manifests LICENSE

checksums() { (cd "$folder" && find . -type f ! -name SHA256SUMS -printf '%P\0' | sort -z | xargs -0 sha256sum >SHA256SUMS); }
step checksums

if [ -n "$registry" ]; then
  read -r -a arguments < <(hack/images/build-arguments.sh)
  for program in operator runner simulator; do
    step docker buildx build "${arguments[@]}" --platform linux/amd64,linux/arm64 --target "$program" \
      --tag "$registry/loadgen-$program:$version" --push .
  done
  step "$helm/helm" push "$folder/loadgen-operator-$version.tgz" "oci://$registry/charts"
fi

if [ -n "$dry" ]; then
  echo "release.sh: dry run of $version: nothing was built, written or pushed"
else
  echo "release.sh: $version is in $folder:"
  cat "$folder/SHA256SUMS"
fi
