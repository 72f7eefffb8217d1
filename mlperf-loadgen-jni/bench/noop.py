"""The no-op benchmark's system under test in Python: completes each sample at once by a call of its own.

Usage: noop.py SCENARIO TOKENS SAMPLES OUTDIR
"""

import array
import sys

import mlperf_loadgen as lg

scenario, tokens, samples, outdir = sys.argv[1:]
tokens = tokens == "true"
data = array.array("B", [0])
address, _ = data.buffer_info()


def issue_query(query_samples):
    for sample in query_samples:
        response = [lg.QuerySampleResponse(sample.id, address, 1, 5)]
        if tokens:
            lg.FirstTokenComplete(response)
        lg.QuerySamplesComplete(response)


settings = lg.TestSettings()
settings.scenario = getattr(lg.TestScenario, scenario)
settings.mode = lg.TestMode.PerformanceOnly
settings.use_token_latencies = tokens
settings.min_query_count = int(samples)
settings.min_duration_ms = 0
settings.server_target_qps = 3e6
settings.offline_expected_qps = 1
output = lg.LogOutputSettings()
output.outdir = outdir
logs = lg.LogSettings()
logs.log_output = output
logs.enable_trace = False

sut = lg.ConstructSUT(issue_query, lambda: None)
qsl = lg.ConstructQSL(1024, 1024, lambda indices: None, lambda indices: None)
lg.StartTestWithLogSettings(sut, qsl, settings, logs, "")
lg.DestroyQSL(qsl)
lg.DestroySUT(sut)
