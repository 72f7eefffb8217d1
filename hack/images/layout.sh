#!/usr/bin/env bash
# Lays out what the images hold besides their base: a Java runtime in DIR/java, and in DIR/operator, DIR/runner and
# DIR/simulator what becomes /opt/loadgen. Needs a JDK 25, a C compiler, and the modules as `mvn package` leaves them.
# The operator is started once, on an API server that has nothing, for the cache that lets its image start fast.
#
#   hack/images/layout.sh DIR
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
out=${1:?usage: layout.sh DIR}
jdk=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v jlink)")")")}

# What `jdeps` finds in our classes and libraries, but for java.desktop: Jackson, Micrometer and a geometry library of
# Parquet name it in classes that nothing here loads.
modules=java.base,java.logging,java.management,java.naming,java.net.http,java.sql,java.xml
modules+=,jdk.httpserver,jdk.management,jdk.net,jdk.unsupported

fail() { echo "layout.sh: $*" >&2; exit 2; }

version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$jdk/release")
[ "${version:-0}" -ge 25 ] || fail "$jdk is no JDK 25 or newer; set JAVA_HOME to one"

rm -rf "$out"
mkdir -p "$out"
"$jdk/bin/jlink" --add-modules "$modules" --no-header-files --no-man-pages --generate-cds-archive --output "$out/java"
# Of use to heaps of 32 GB or more alone, and a tenth of the image.
rm -f "$out/java/lib/server/classes_nocoops.jsa"

for module in operator runner simulator; do
  target=$root/$module/target
  [ -d "$target/lib" ] || fail "$target/lib does not exist; run mvn package -Dmaven.test.skip first"
  mkdir -p "$out/$module/app" "$out/$module/lib"
  cp "$target/lib"/*.jar "$out/$module/lib/"
  cp "$target/$module"-[0-9]*.jar "$out/$module/app/"
  # Ours change with every build, the others seldom.
  for ours in contract crds rules accuracy mlperf-loadgen-jni datasets stored-results mlflow client commands desired reconcile; do
    for jar in "$out/$module/lib/$ours"-[0-9]*.jar; do
      [ ! -e "$jar" ] || mv "$jar" "$out/$module/app/"
    done
  done
done

# Unpacked, so that the runner needs no folder in which a library may be both written and executed.
mkdir "$out/runner/native"
(cd "$out/runner/native" && "$jdk/bin/jar" --extract --file "$(echo "$out"/runner/app/mlperf-loadgen-jni-*.jar)" native)
mv "$out"/runner/native/native/*/libloadgen-jni-*.so "$out/runner/native/"
rm -r "$out/runner/native/native"

# LOADGEN_SBOM=none is for tests of a build that made none.
for module in operator runner simulator; do
  [ "${LOADGEN_SBOM-}" != none ] || break
  "$jdk/bin/java" -cp "$out/operator/lib/*" "$root/hack/images/sbom/Sbom.java" "$root/$module/target/sbom.json" "$out/$module/app" \
    "$out/$module/lib" "$out/$module/native" "$root/mlperf-loadgen-jni/native/versions.csv" "$jdk/release" "$out/$module/sbom.cdx.json"
done

mkdir "$out/simulator/bin"
cc -static -O2 -s -Wall -Werror -DNAME='"simulator"' -DMAIN_CLASS='"dev.loadgen.simulator.Main"' \
  -o "$out/simulator/bin/simulator" "$root/hack/images/launcher/launcher.c"
for name in vllm python3; do
  ln -s simulator "$out/simulator/bin/$name"
done

# Java takes a cache only with the class path of its making, in that order and with those times of the jars; which
# order app/* and lib/* would have is the file system's choice.
(cd "$out/operator" && printf -- '-cp\n%s\n' "$(printf '/opt/loadgen/%s\n' app/*.jar lib/*.jar | paste -sd:)") >"$out/operator/classpath"
find "$out" -exec touch --no-dereference --date=2026-01-01T00:00:00Z {} +

training=$(mktemp -d)
ended() {
  # shellcheck disable=SC2046
  kill $(jobs -p) 2>/dev/null || true
  rm -rf "$training"
}
trap ended EXIT

# Waits until a file has a word; under emulation of another processor that takes minutes.
await() { # PID FILE WORD LOG
  local _
  for _ in $(seq 3000); do
    if grep -q "$3" "$2" 2>/dev/null; then return; fi
    kill -0 "$1" 2>/dev/null || break
    sleep 0.2
  done
  cat "$4" >&2
  fail "the training of the operator came to nothing: no '$3' in $(basename "$2")"
}

{
  "$jdk/bin/keytool" -genkeypair -alias server -keyalg EC -dname CN=training -ext san=ip:127.0.0.1 -validity 2 \
    -keystore "$training/keys" -storetype PKCS12 -storepass training
  "$jdk/bin/keytool" -exportcert -rfc -alias server -keystore "$training/keys" -storepass training -file "$training/ca.pem"
} >"$training/keytool.log" 2>&1 || { cat "$training/keytool.log" >&2; fail "no key for the training of the operator"; }
"$jdk/bin/java" "$root/hack/images/training/ApiServer.java" "$training/keys" training >"$training/port" 2>"$training/api.log" &
await $! "$training/port" '[0-9]' "$training/api.log"
cat >"$training/kubeconfig" <<END
{"apiVersion": "v1", "kind": "Config", "current-context": "training",
 "clusters": [{"name": "training", "cluster": {"server": "https://127.0.0.1:$(cat "$training/port")", "certificate-authority": "$training/ca.pem"}}],
 "users": [{"name": "training", "user": {"token": "none"}}],
 "contexts": [{"name": "training", "context": {"cluster": "training", "user": "training"}}]}
END
sed "s#/opt/loadgen/#$out/operator/#g" "$out/operator/classpath" >"$training/classpath"
KUBECONFIG=$training/kubeconfig LOADGEN_HEALTH_PORT=0 "$out/java/bin/java" -XX:+UseSerialGC -XX:AOTCacheOutput="$out/operator/operator.aot" \
  --sun-misc-unsafe-memory-access=allow "@$training/classpath" dev.loadgen.operator.Main >"$training/operator.log" 2>&1 &
operator=$!
await "$operator" "$training/operator.log" 'operator started' "$training/operator.log"
kill -TERM "$operator"
wait "$operator" || true # 143, having written the cache
[ -s "$out/operator/operator.aot" ] || { cat "$training/operator.log" >&2; fail "the operator left no cache"; }
touch --date=2026-01-01T00:00:00Z "$out/operator/operator.aot" "$out/operator"
