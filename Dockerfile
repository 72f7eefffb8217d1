# The images of operator, runner and simulator:
#
#   docker build --target runner --tag REGISTRY/loadgen-runner:0.1.0 .
#   docker buildx build $(hack/images/build-arguments.sh) --platform linux/amd64,linux/arm64 \
#     --target runner --tag REGISTRY/loadgen-runner:0.1.0 --push .
#
# hack/images/build.sh makes the same images of the last three stages without Docker and without a registry.

# Digests, sha256:..., of the two images that are begun with, so that a tag which moves changes nothing; docs/installing.md
# says how they are looked up. Without them the tag alone decides.
ARG MAVEN_DIGEST=
ARG BASE_DIGEST=

FROM maven:3.9-eclipse-temurin-25-noble${MAVEN_DIGEST:+@${MAVEN_DIGEST}} AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends cmake g++ make python3-pip \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
# Results say by which commit they were made.
ARG REVISION=unknown
RUN --mount=type=cache,target=/root/.m2 \
    mvn --batch-mode --no-transfer-progress -Pquick -Dmaven.test.skip -Dcyclonedx.skip=false -Dloadgen.commit="$REVISION" \
      -pl operator,runner,simulator -am package \
 && hack/images/layout.sh /image

# glibc, libstdc++ and no shell. Its glibc is not older than that of the stage above, which LoadGen is linked with.
FROM gcr.io/distroless/cc-debian13:nonroot${BASE_DIGEST:+@${BASE_DIGEST}} AS base
COPY --from=build /image/java /opt/java
ENV PATH=/opt/java/bin:/opt/loadgen/bin
WORKDIR /
USER 65532:65532
# What hack/images/build-arguments.sh says. 1970 is a time that nobody has told.
ARG VERSION=0.1.0
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
LABEL org.opencontainers.image.source="https://github.com/loadgen-operator/loadgen-operator" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}"

FROM base AS simulator
COPY --from=build /image/simulator /opt/loadgen
EXPOSE 8000 30000
LABEL org.opencontainers.image.title="loadgen-simulator" \
  org.opencontainers.image.description="A server that speaks the wire formats of vLLM and SGLang, with no model behind it"
ENTRYPOINT ["/opt/loadgen/bin/simulator"]

FROM base AS runner
COPY --from=build /image/runner /opt/loadgen
EXPOSE 9464
LABEL org.opencontainers.image.title="loadgen-runner" \
  org.opencontainers.image.description="Drives LLM servers with MLCommons LoadGen, as a BenchmarkRun says"
# A dataset is held as a whole, and native memory holds the connections. The error file becomes a link into the results.
ENTRYPOINT ["java", "-XX:MaxRAMPercentage=70", "-XX:+ExitOnOutOfMemoryError", "--enable-native-access=ALL-UNNAMED", \
  "-XX:ErrorFile=/tmp/hs_err.log", \
  "--sun-misc-unsafe-memory-access=allow", "-Ddev.loadgen.mlperf.libraries=/opt/loadgen/native", \
  "-cp", "/opt/loadgen/app/*:/opt/loadgen/lib/*", "dev.loadgen.runner.Main"]

FROM base AS operator
COPY --from=build /image/operator /opt/loadgen
EXPOSE 8081
LABEL org.opencontainers.image.title="loadgen-operator" \
  org.opencontainers.image.description="MLPerf inference benchmarks of LLM servers as Kubernetes objects"
# It waits most of the time: the small collector and the first compiler alone need a third less memory, and a heap
# grows from what it needs, not from a share of the node's memory. Besides its heap it needs 120 MiB.
ENTRYPOINT ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms16m", "-XX:MaxRAMPercentage=50", \
  "-XX:AOTCache=/opt/loadgen/operator.aot", "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0", \
  "-XX:+ExitOnOutOfMemoryError", "--sun-misc-unsafe-memory-access=allow", \
  "@/opt/loadgen/classpath", "dev.loadgen.operator.Main"]
