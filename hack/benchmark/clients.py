"""The clients: how each is started for a workload, and where it leaves LoadGen's logs.

A client is one process. It reads `dataset` (JSON, see workloads.py), drives the server at `url` and writes into
`folder`, which is empty and its working directory.
"""

import json
import os
from pathlib import Path

from workloads import MODEL, PROMPTS


class Runner:
    """Our runner, on the JVM."""

    name = "runner"

    def __init__(self, java, class_path, options):
        self.java, self.class_path, self.options = java, class_path, options

    def supports(self, workload):
        return True

    def command(self, workload, url, dataset, folder):
        (folder / "plan.json").write_text(json.dumps(self.plan(workload, url, dataset), indent=1))
        options = ["--enable-native-access=ALL-UNNAMED", *self.options]
        arguments = ["--plan", "plan.json", "--datasets", str(dataset.parent), "--results", "results"]
        return [self.java, *options, "-cp", self.class_path, "dev.loadgen.runner.Main", *arguments]

    def environment(self):
        return os.environ

    def logs(self, folder):
        return folder / "results" / "benchmark" / "1"

    def startup_of(self, workload):
        """Start-up includes a warm-up by requests of the workload's kind."""
        return (workload.scenario, workload.streaming)

    @staticmethod
    def plan(workload, url, dataset):
        server = workload.scenario == "Server"
        test = {
            "benchmark": "custom",
            "ruleset": "none",
            "scenario": workload.scenario,
            "mode": "Performance",
            "targetQps": workload.rate if server else 1,
            "minDurationMs": max(1, round(workload.seconds * 1000)),
            "minQueryCount": 2 if server else workload.samples,
            "performanceSampleCount": PROMPTS,
            "coalesceQueries": False,
            "tokenLatencies": server,
            "completionData": "TOKEN_IDS",
        }
        client = {
            "batchSize": workload.batch,
            "streaming": workload.streaming,
            "loadBalancing": "RoundRobin",
            "requestTimeoutMs": 120_000,
            "warmupRequests": 0,
        }
        if workload.in_flight:
            client["maxConcurrency"] = workload.in_flight
        return {
            "version": 1,
            "run": {"namespace": "default", "name": "benchmark", "uid": "1"},
            "test": test,
            "server": {
                "engine": "vllm",
                "endpointType": "completions",
                "model": MODEL,
                "replicas": [{"name": "stub", "url": url}],
            },
            "dataset": {"path": dataset.name, "format": "Json"},
            "client": client,
            "sampling": {"temperature": 1.0, "topP": 1.0, "topK": -1, "maxNewTokens": workload.tokens},
            "timeouts": {"readyMs": 10_000, "runMs": 600_000},
        }


class Harness:
    """The Python harness in the repository openshift-psap/mlperf-inference-6.1-redhat, folder harness."""

    name = "Python harness"

    def __init__(self, python, folder):
        self.python, self.folder = python, Path(folder).resolve()

    def supports(self, workload):
        return workload.scenario == "Server" or not workload.streaming  # its Offline client does not stream

    def command(self, workload, url, dataset, folder):
        (folder / "user.conf").write_text(self.user_conf(workload))
        options = {
            "--model-category": MODEL,
            "--model": MODEL,
            "--lg-model-name": MODEL,
            "--dataset-path": dataset,
            # A name that its configuration files do not have, since these fix the file's format.
            "--dataset-name": "synthetic",
            "--input-column": "text_input",
            "--input-ids-column": "input_tokens",
            "--output-column": "ref_output",
            "--scenario": workload.scenario,
            "--test-mode": "performance",
            "--backend": "vllm",
            "--endpoint-type": "completions",
            "--api-server-url": url,
            "--user-conf": "user.conf",
            "--output-dir": ".",
            "--batch-size": workload.batch,
        }
        if workload.scenario == "Offline" and workload.batch == 1:
            options["--offline-async-concurrency"] = workload.in_flight
        words = [str(word) for option in options.items() for word in option]
        if workload.scenario == "Offline" and workload.batch == 1:
            words.append("--offline-back-to-back")
        return [self.python, str(self.folder / "harness_main.py"), *words]

    def environment(self):
        # Without these it asks the network for a tokenizer before every test.
        return os.environ | {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

    def logs(self, folder):
        return folder / "mlperf"

    def startup_of(self, workload):
        return workload.scenario

    @staticmethod
    def user_conf(workload):
        server = workload.scenario == "Server"
        settings = {
            "performance_sample_count_override": PROMPTS,
            "sample_concatenate_permutation": 0,
            "target_qps": f"{workload.rate if server else 1:g}",
            "min_duration": max(1, round(workload.seconds * 1000)),
            "min_query_count": 2 if server else workload.samples,
        }
        if server:
            settings["coalesce_queries"] = 0
        return "".join(f"{MODEL}.{workload.scenario}.{key} = {value}\n" for key, value in settings.items())
