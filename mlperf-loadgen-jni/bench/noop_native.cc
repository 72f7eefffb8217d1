// Copyright The loadgen-operator Authors. Licensed under the Apache License, Version 2.0.
//
// The baseline of the no-op benchmark: a system under test in C++ that completes each sample at once by a call of its
// own. Usage: noop-native SCENARIO TOKENS SAMPLES OUTDIR

#include <cstdint>
#include <string>
#include <vector>

#include "loadgen.h"
#include "query_sample.h"
#include "query_sample_library.h"
#include "system_under_test.h"
#include "test_settings.h"

namespace {

class NoopSystem : public mlperf::SystemUnderTest {
 public:
  explicit NoopSystem(bool tokens) : tokens_(tokens) {}
  const std::string& Name() override { return name_; }
  void IssueQuery(const std::vector<mlperf::QuerySample>& samples) override {
    uint8_t data = 0;
    for (const mlperf::QuerySample& sample : samples) {
      mlperf::QuerySampleResponse response(sample.id, reinterpret_cast<uintptr_t>(&data), 1, 5);
      if (tokens_) mlperf::FirstTokenComplete(&response, 1);
      mlperf::QuerySamplesComplete(&response, 1);
    }
  }
  void FlushQueries() override {}

 private:
  const bool tokens_;
  const std::string name_ = "no-op, C++";
};

class NoopLibrary : public mlperf::QuerySampleLibrary {
 public:
  const std::string& Name() override { return name_; }
  size_t TotalSampleCount() override { return 1024; }
  size_t PerformanceSampleCount() override { return 1024; }
  void LoadSamplesToRam(const std::vector<mlperf::QuerySampleIndex>&) override {}
  void UnloadSamplesFromRam(const std::vector<mlperf::QuerySampleIndex>&) override {}

 private:
  const std::string name_ = "no-op";
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  mlperf::TestSettings settings;
  const bool server = std::string(argv[1]) == "Server";
  settings.scenario = server ? mlperf::TestScenario::Server : mlperf::TestScenario::Offline;
  settings.mode = mlperf::TestMode::PerformanceOnly;
  settings.use_token_latencies = std::string(argv[2]) == "true";
  settings.min_query_count = std::stoull(argv[3]);
  settings.min_duration_ms = 0;
  settings.server_target_qps = 3e6;
  settings.offline_expected_qps = 1;
  settings.token_latency_scaling_factor = 1;
  mlperf::LogSettings logs;
  logs.log_output.outdir = argv[4];
  logs.enable_trace = false;
  NoopSystem sut(settings.use_token_latencies);
  NoopLibrary qsl;
  mlperf::StartTest(&sut, &qsl, settings, logs, "");
}
