"""The clients: how each is started for a workload, and what it leaves behind.

A client is one process. It reads `dataset` (JSON, see workloads.py), drives the server at `url` and writes into
`folder`, which is empty and its working directory. Its standard output is `client.log` there.
"""

import csv
import gzip
import json
import os
from dataclasses import dataclass
from pathlib import Path

from stamping import Stamps
from workloads import MODEL, PROMPT_TOKENS, PROMPTS, prompt_key

# A test of the runner reads it as well, so that it follows the contract.
PLAN = Path(__file__).with_name("plan.json")


@dataclass(frozen=True)
class Figures:
    """What a client reports about a test.

    rate is in samples a second: completed ones in Server, all in Offline. Latencies are in milliseconds, and None
    where the client reports none; ttft_ms has the keys mean, 50, 90, 99 or some of them. scheduled is the rate that
    the schedule has. errors are the client's own count.
    """

    samples: int
    rate: float
    errors: int
    scheduled: float | None = None
    ttft_ms: dict | None = None
    tpot_p99_ms: float | None = None

    @property
    def seconds(self):
        """From the first issue to the last completion."""
        return self.samples / self.rate


class Client:
    """What all clients have. startup_s is about how long one runs before and after its test."""

    name = ""
    startup_s = 0

    def supports(self, workload):
        return workload.streaming and workload.batch == 1

    def command(self, workload, url, dataset, folder):
        raise NotImplementedError

    def environment(self):
        return os.environ

    def figures(self, folder):
        """What it reports; None when it did not get so far."""
        raise NotImplementedError

    def stamps(self, folder):
        """Its stamps of each request that was answered; None if it leaves none."""
        return None

    def notes(self, folder):
        """What else it says about a test."""
        return {}


# The runner's names of its transports, by the values of -Dloadgen.transport.
KINDS = {"eventloop": "EVENT_LOOP", "okhttp": "OKHTTP"}


class Runner(Client):
    """Our runner, on the JVM, as it runs in a pod: LoadGen, results and report included."""

    startup_s = 12

    def __init__(self, java, class_path, options, name="runner", transport=None):
        self.java, self.class_path, self.options, self.name, self.transport = java, class_path, options, name, transport

    def having(self, *options):
        """The same with more options of the JVM."""
        return Runner(self.java, self.class_path, [*self.options, *options], self.name, self.transport)

    def supports(self, workload):
        return True

    def command(self, workload, url, dataset, folder):
        (folder / "plan.json").write_text(json.dumps(self.plan(workload, url, dataset), indent=1))
        options = ["--enable-native-access=ALL-UNNAMED", *self.options]
        if self.transport:
            options.append(f"-Dloadgen.transport={self.transport}")
        arguments = ["--plan", "plan.json", "--datasets", str(dataset.parent), "--results", "results"]
        return [self.java, *options, "-cp", self.class_path, "dev.loadgen.runner.Main", *arguments]

    @staticmethod
    def _results(folder):
        return folder / "results" / "benchmark" / "1"

    def figures(self, folder):
        return loadgen_figures(self._results(folder))

    def stamps(self, folder):
        environment = json.loads((self._results(folder) / "environment.json").read_text())
        origin = environment["firstIssueNanoTime"]

        def at(text):
            return origin + round(float(text) * 1e6)

        with gzip.open(self._results(folder) / "requests.csv.gz", "rt", newline="") as table:
            rows = [row for row in csv.DictReader(table) if not row["failure"]]
        return [
            Stamps(prompt_key(int(r["sample"])), at(r["started_ms"]), at(r["first_token_ms"]), at(r["ended_ms"]))
            for r in rows
            if r["first_token_ms"]
        ]

    def notes(self, folder):
        results = self._results(folder)
        summary = json.loads((results / "summary.json").read_text())
        environment = json.loads((results / "environment.json").read_text())
        carried = environment["transport"]["kind"]
        if self.transport and carried != KINDS[self.transport]:
            raise ValueError(f"the transport was {carried}, not {self.transport}")
        return {
            "verdict": summary.get("verdict"),
            "rules": [reason["rule"] for reason in summary.get("verdictReasons") or []],
            "reasons": [reason.get("message", "") for reason in summary.get("verdictReasons") or []],
            "failed": (summary.get("result") or {}).get("failed"),
            "environment": environment,
        }

    @staticmethod
    def plan(workload, url, dataset):
        """plan.json, with what the workload sets."""
        plan = json.loads(PLAN.read_text())
        server = workload.open_loop
        plan["test"] |= {
            "scenario": workload.scenario,
            "targetQps": workload.rate if server else 1,
            "minDurationMs": max(1, round(workload.seconds * 1000)),
            "minQueryCount": 2 if server else workload.samples,
            "performanceSampleCount": PROMPTS,
            "tokenLatencies": server,
        }
        plan["client"] |= {"batchSize": workload.batch, "streaming": workload.streaming}
        if workload.in_flight:
            plan["client"]["maxConcurrency"] = workload.in_flight
        plan["server"] |= {"model": MODEL, "replicas": [{"name": "stub", "url": url}]}
        plan["dataset"]["path"] = dataset.name
        plan["sampling"]["maxNewTokens"] = workload.tokens
        return plan


class Harness(Client):
    """The Python harness in the repository openshift-psap/mlperf-inference-6.1-redhat, folder harness."""

    name = "Python harness"
    startup_s = 5

    def __init__(self, python, folder):
        self.python, self.folder = python, Path(folder).resolve()

    def supports(self, workload):
        return workload.open_loop or not workload.streaming  # its Offline client does not stream

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
        if not workload.open_loop and workload.batch == 1:
            options["--offline-async-concurrency"] = workload.in_flight
        words = [str(word) for option in options.items() for word in option]
        if not workload.open_loop and workload.batch == 1:
            words.append("--offline-back-to-back")
        return [self.python, str(self.folder / "harness_main.py"), *words]

    def environment(self):
        # Without these it asks the network for a tokenizer before every test.
        return os.environ | {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

    def figures(self, folder):
        return loadgen_figures(folder / "mlperf")

    @staticmethod
    def user_conf(workload):
        server = workload.open_loop
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


class Control(Client):
    """The native control client, control/."""

    name = "Go control"
    startup_s = 0.5

    def __init__(self, program):
        self.program = program

    def command(self, workload, url, dataset, folder):
        options = {"-url": url, "-dataset": dataset, "-model": MODEL, "-tokens": workload.tokens, "-times": "times.csv"}
        if workload.open_loop:
            options |= {"-rate": workload.rate, "-seconds": workload.seconds}
        else:
            options |= {"-in-flight": workload.in_flight, "-requests": workload.samples}
        return [str(self.program), *(str(word) for option in options.items() for word in option)]

    def figures(self, folder):
        result = last_json(folder / "client.log")
        if result is None:
            return None

        ttft = result["ttft_ms"]
        return Figures(
            samples=result["requests"],
            rate=result["rate"],
            errors=result["failed"],
            ttft_ms={"mean": ttft["mean"], 50: ttft["p50"], 90: ttft["p90"], 99: ttft["p99"]},
        )

    def stamps(self, folder):
        with open(folder / "times.csv", newline="") as table:
            return [
                Stamps(*(int(row[name]) for name in ("prompt", "sent_ns", "first_ns", "ended_ns"))) for row in csv.DictReader(table)
            ]


class VllmBench(Client):
    """`vllm bench serve`, installed by hack/real-servers/setup.sh."""

    name = "vllm bench serve"
    startup_s = 16

    def __init__(self, folder):
        self.program, self.tokenizer = folder / "vllm" / "bin" / "vllm", folder / "models" / "tiny-llama"

    def command(self, workload, url, dataset, folder):
        options = {
            "--backend": "openai",
            "--base-url": url,
            "--endpoint": "/v1/completions",
            "--model": MODEL,
            "--tokenizer": self.tokenizer,
            "--dataset-name": "random",
            "--random-input-len": PROMPT_TOKENS,
            "--random-output-len": workload.tokens,
            "--num-prompts": workload.requests,
            "--percentile-metrics": "ttft,tpot",
            "--metric-percentiles": "50,90,99",
            "--result-dir": ".",
            "--result-filename": "result.json",
        }
        if workload.open_loop:
            options["--request-rate"] = workload.rate
        else:
            options["--max-concurrency"] = workload.in_flight
        words = [str(word) for option in options.items() for word in option]
        return [str(self.program), "bench", "serve", "--disable-tqdm", "--save-result", *words]

    def environment(self):
        offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
        # As hack/real-servers/bin/vllm has it.
        return os.environ | offline | {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}

    def figures(self, folder):
        result = last_json(folder / "result.json")
        if result is None:
            return None
        ttft = {"mean": result["mean_ttft_ms"], 50: result["p50_ttft_ms"], 90: result["p90_ttft_ms"], 99: result["p99_ttft_ms"]}
        return Figures(
            samples=result["completed"] + result["failed"],
            rate=result["request_throughput"],
            errors=result["failed"],
            ttft_ms=ttft,
            tpot_p99_ms=result["p99_tpot_ms"],
        )


class RustClient(Client):
    """SGLang's `sglang.benchmark.rust_client`, installed by hack/real-servers/setup.sh."""

    name = "SGLang Rust client"
    startup_s = 3

    def __init__(self, folder):
        self.python, self.tokenizer = folder / "sglang" / "bin" / "python", folder / "models" / "tiny-llama"

    def command(self, workload, url, dataset, folder):
        options = {
            "--backend": "vllm",
            "--base-url": url,
            "--model": MODEL,
            "--tokenizer": self.tokenizer,
            "--dataset-name": "random-ids",
            "--random-input-len": PROMPT_TOKENS,
            "--random-output-len": workload.tokens,
            "--random-range-ratio": 1,
            "--num-prompts": workload.requests,
            "--output-file": "result.jsonl",
        }
        if workload.open_loop:
            options["--request-rate"] = workload.rate
        else:
            options["--max-concurrency"] = workload.in_flight
        words = [str(word) for option in options.items() for word in option]
        launcher = Path(__file__).with_name("rust_client.py")
        return [str(self.python), str(launcher), "--disable-retokenize", "--disable-tqdm", *words]

    def environment(self):
        return os.environ | {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}

    def figures(self, folder):
        result = last_json(folder / "result.jsonl")
        if result is None:
            return None
        ttft = {"mean": result["mean_ttft_ms"], 50: result["median_ttft_ms"], 90: result["p90_ttft_ms"], 99: result["p99_ttft_ms"]}
        return Figures(
            samples=result["completed"],
            rate=result["request_throughput"],
            errors=0,  # it counts the completed alone, and Bench compares these with what was asked for
            ttft_ms=ttft,
            tpot_p99_ms=result["p99_tpot_ms"],
        )


def last_json(file):
    """The object on the last line of a file that is one; None if there is none."""
    if not file.exists():
        return None
    for line in reversed(file.read_text(errors="replace").splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return None


def loadgen_figures(logs):
    """The figures in LoadGen's detail log in a folder; None when it did not get so far."""
    results, errors = {}, 0
    detail = logs / "mlperf_log_detail.txt"
    if not detail.exists():
        return None
    for line in detail.read_text(errors="replace").splitlines():
        _, found, record = line.partition(":::MLLOG ")
        if not found:
            continue
        try:
            record = json.loads(record)
        except ValueError:
            continue  # a killed client leaves half a line
        results[record["key"]] = record["value"]
        errors += record["metadata"]["is_error"]
    server = results.get("effective_scenario") == "Server"
    rate = results.get("result_completed_samples_per_sec" if server else "result_samples_per_second")
    if not rate:
        return None
    samples = results["result_query_count"] if server else results["effective_samples_per_query"]
    ttft = {p: results.get(f"result_first_token_{p}.00_percentile_latency_ns") for p in (50, 90, 99)}
    ttft["mean"] = results.get("result_first_token_mean_latency_ns")
    tpot = results.get("result_time_per_output_token_99.00_percentile_ns")
    return Figures(
        samples=int(samples),
        rate=float(rate),
        errors=errors,
        scheduled=results.get("result_scheduled_samples_per_sec"),
        ttft_ms={p: value / 1e6 for p, value in ttft.items()} if None not in ttft.values() else None,
        tpot_p99_ms=tpot / 1e6 if tpot is not None else None,
    )
