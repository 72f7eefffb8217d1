"""Runs one client process against a stub of its own and reports what it did and what it took."""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from workloads import MODEL, dataset


class MeasurementError(Exception):
    """A client or the stub failed; the message says where its output is."""


@dataclass(frozen=True)
class Figures:
    """What LoadGen reports, from its detail log.

    rate is in samples a second: completed ones in Server, all in Offline. Latencies are in milliseconds, and
    None without token latencies. errors are LoadGen's own.
    """

    samples: int
    rate: float
    scheduled: float | None
    ttft_ms: dict[int, float] | None
    tpot_p99_ms: float | None
    errors: int

    @property
    def seconds(self):
        """From the first issue to the last completion."""
        return self.samples / self.rate


@dataclass(frozen=True)
class Measurement:
    """One run of a client.

    cpu_s and rss_mb (the peak) are the process's, from start to end, as the kernel accounts them when it ends.
    stub_share is the share of its core that the stub used during the test.
    """

    figures: Figures
    cpu_s: float
    rss_mb: float
    wall_s: float
    stub_share: float


def read_figures(logs):
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
    tpot = results.get("result_time_per_output_token_99.00_percentile_ns")
    tokens = ttft[50] is not None
    return Figures(
        samples=int(samples),
        rate=float(rate),
        scheduled=results.get("result_scheduled_samples_per_sec"),
        ttft_ms={p: value / 1e6 for p, value in ttft.items()} if tokens else None,
        tpot_p99_ms=tpot / 1e6 if tpot is not None else None,
        errors=errors,
    )


class Bench:
    """Two cores, a stub and a scratch folder. A context manager, which removes the folder unless a run failed."""

    def __init__(self, stub, stub_core, client_core):
        self.stub, self.stub_core, self.client_core = stub, stub_core, client_core
        self.scratch = Path(tempfile.mkdtemp(prefix="loadgen-benchmark-"))
        self.dataset = self.scratch / "dataset.json"
        self.dataset.write_text(json.dumps(dataset()))
        self.runs = 0
        self.keep = False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if not self.keep:
            shutil.rmtree(self.scratch)

    def run(self, client, workload, limit_s=180):
        """Runs a workload to its end. Returns None if the client did not end within the limit."""
        self.runs += 1
        folder = self.scratch / f"run-{self.runs}"
        folder.mkdir()
        stub = self._start_stub(workload)
        try:
            url = self._url(stub)
            command = client.command(workload, url, self.dataset, folder)
            with open(folder / "client.log", "w") as log:
                begun = time.monotonic()
                process = subprocess.Popen(
                    ["taskset", "-c", str(self.client_core), *command],
                    stdout=log,
                    stderr=log,
                    cwd=folder,
                    env=client.environment(),
                )
                late = threading.Event()
                status, usage = self._wait(process, limit_s, late)
                wall_s = time.monotonic() - begun
            figures = read_figures(client.logs(folder))
            if not late.is_set():
                self._check(client, workload, status, figures, url, folder)
            stub_cpu_s = cpu_seconds(stub.pid)
        finally:
            stub.kill()
            stub.wait()
            stub.stdout.close()
        if late.is_set():
            shutil.rmtree(folder)
            return None
        measurement = Measurement(
            figures=figures,
            cpu_s=usage.ru_utime + usage.ru_stime,
            rss_mb=usage.ru_maxrss / 1024,
            wall_s=wall_s,
            stub_share=stub_cpu_s / figures.seconds,
        )
        shutil.rmtree(folder)
        return measurement

    def _start_stub(self, workload):
        latency = ["-ttft", f"{workload.ttft_ms}ms", "-tpot", f"{workload.tpot_ms}ms"]
        command = [self.stub, "-model", MODEL, "-tokens", str(workload.tokens), *latency]
        return subprocess.Popen(["taskset", "-c", str(self.stub_core), *command], stdout=subprocess.PIPE, text=True)

    @staticmethod
    def _url(stub):
        words = stub.stdout.readline().split()
        if len(words) != 2 or words[0] != "listening":
            raise MeasurementError("the stub did not start")
        return "http://" + words[1]

    @staticmethod
    def _wait(process, limit_s, late):
        """Waits for a process and what it used; kills it after the limit, which sets `late`."""

        def kill():
            late.set()
            process.kill()

        timer = threading.Timer(limit_s, kill)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            process.wait()
            raise
        finally:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage

    def _check(self, client, workload, status, figures, url, folder):
        """A client that fails, or that asks the server for less than it reports, is not measured."""
        with urllib.request.urlopen(url + "/stub/stats", timeout=10) as response:
            asked = json.load(response)
        problem = None
        if status != 0:
            problem = f"ended with status {status}"
        elif figures is None:
            problem = "left no complete LoadGen log"
        elif asked["prompts"] < figures.samples:
            problem = f"reports {figures.samples} samples, but sent {asked['prompts']}"
        elif workload.streaming and asked["streams"] < figures.samples:
            problem = f"reports {figures.samples} samples, but asked for {asked['streams']} streams"
        if problem:
            self.keep = True
            raise MeasurementError(f"{client.name}, {workload.name}: {problem}; its output is in {folder}/client.log")


def cpu_seconds(pid):
    """CPU time of a running process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
