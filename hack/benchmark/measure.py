"""Runs one client process against a stub of its own and reports what it did and what it took."""

import csv
import http.client
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

import stamping
import window
from clients import Figures
from workloads import MODEL, dataset

SAMPLE_EVERY_S = 0.1
# Descendants and descriptors are looked up less often: that costs more.
LOOK_EVERY = 10

TICK_S = 1 / os.sysconf("SC_CLK_TCK")
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


class MeasurementError(Exception):
    """A client or the stub failed; the message says where its output is."""


@dataclass(frozen=True)
class Stamped:
    """What a client's own stamps show, in milliseconds: their delays in the window, and the time from each request's
    start to its first token in the whole test."""

    delay_mean: float
    delay_p99: float
    ttft_mean: float
    ttft_p99: float
    count: int


@dataclass(frozen=True)
class Measurement:
    """One run of a client.

    window is the middle of it, None if it was too short to have one. rss_mb and descriptors are peaks. cpu_s is the
    process's, from start to end, as the kernel accounts it when it ends. max_in_flight is the stub's count.
    """

    figures: Figures
    window: window.Window | None
    cpu_s: float
    rss_mb: float
    descriptors: int
    wall_s: float
    max_in_flight: int
    stub_share: float
    stamped: Stamped | None = None
    notes: dict = field(default_factory=dict)


class Bench:
    """Cores, a stub and a scratch folder. A context manager, which removes the folder unless a run failed."""

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

    def run(self, client, workload, limit_s=180, may_be_late=False, cores=None, stub_cores=None, open_files=None, stamped=False):
        """Runs a workload to its end. A client that does not end within the limit fails, or with `may_be_late` gives None.

        cores are the client's, by default its one, and stub_cores the stub's; open_files limits its descriptors; with `stamped` the delays of
        its stamps are measured.
        """
        self.runs += 1
        folder = self.scratch / f"run-{self.runs}"
        folder.mkdir()
        stub = self._start_stub(workload, stamped, stub_cores or [self.stub_core])
        try:
            url = self._url(stub)
            command = ["taskset", "-c", ",".join(map(str, cores or [self.client_core]))]
            command += client.command(workload, url, self.dataset, folder)
            if open_files:
                command = ["prlimit", f"--nofile={open_files}:{open_files}", *command]
            with open(folder / "client.log", "w") as log:
                begun = time.monotonic()
                process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=client.environment())
                observer = Observer(url, process.pid, self.stub_core)
                late = threading.Event()
                status, usage = self._wait(process, limit_s, late)
                wall_s = time.monotonic() - begun
                observer.end()
            if late.is_set() and may_be_late:
                shutil.rmtree(folder)
                return None
            if late.is_set():
                raise MeasurementError(f"{client.name}, {workload.name}: did not end within {limit_s} s; its output is in {folder}")
            measurement = self._measured(client, workload, status, usage, wall_s, observer, url, folder, stamped)
        except BaseException:
            self.keep = True
            raise
        finally:
            stub.kill()
            stub.wait()
            stub.stdout.close()
        shutil.rmtree(folder)
        return measurement

    def _measured(self, client, workload, status, usage, wall_s, observer, url, folder, stamped):
        try:
            figures = client.figures(folder) if status == 0 else None
            asked = stats(url)
            notes = client.notes(folder) if figures else {}
            self._check(client, workload, status, figures, notes.get("failed") or 0, asked, folder)
            if observer.failure:
                raise MeasurementError(f"the stub's counts could not be read: {observer.failure}")
            from_stamps = self._stamped(client, url, folder) if stamped else None
        except (OSError, ValueError, KeyError, stamping.UnmatchedError) as error:
            raise MeasurementError(
                f"{client.name}, {workload.name}: {type(error).__name__}: {error}; its output is in {folder}"
            ) from error
        return Measurement(
            figures=figures,
            window=window.steady(observer.samples),
            cpu_s=usage.ru_utime + usage.ru_stime,
            rss_mb=max(usage.ru_maxrss / 1024, observer.rss_mb),
            descriptors=observer.descriptors,
            wall_s=wall_s,
            max_in_flight=asked["max_in_flight"],
            stub_share=asked["cpu_nanos"] / 1e9 / figures.seconds,
            stamped=from_stamps,
            notes=notes,
        )

    def _start_stub(self, workload, stamped, cores):
        latency = ["-ttft", f"{workload.ttft_ms}ms", "-tpot", f"{workload.tpot_ms}ms"]
        command = [self.stub, "-model", MODEL, "-tokens", str(workload.tokens), *latency]
        command += ["-flush"] if workload.flush else []
        command += ["-word", " wé"] if workload.accents else []
        command += ["-sends"] if stamped else []
        return subprocess.Popen(["taskset", "-c", ",".join(map(str, cores)), *command], stdout=subprocess.PIPE, text=True)

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

    @staticmethod
    def _check(client, workload, status, figures, failed, asked, folder):
        """A client that fails, or that asks the server for less than it reports as answered, is not measured."""
        problem = None
        if status != 0:
            problem = f"ended with status {status}"
        elif figures is None:
            problem = "left no complete results"
        elif asked["prompts"] < figures.samples - failed:
            problem = f"reports {figures.samples - failed} samples, but sent {asked['prompts']}"
        elif workload.streaming and asked["streams"] < figures.samples - failed:
            problem = f"reports {figures.samples - failed} samples, but asked for {asked['streams']} streams"
        elif not workload.open_loop and figures.samples < workload.samples:
            problem = f"reports {figures.samples} samples of {workload.samples}"
        if problem:
            raise MeasurementError(f"{client.name}, {workload.name}: {problem}; its output is in {folder}")

    @staticmethod
    def _stamped(client, url, folder):
        with urllib.request.urlopen(url + "/stub/sends", timeout=30) as response:
            lines = response.read().decode().splitlines()
        sends = [
            stamping.Stamps(*(int(row[name]) for name in ("prompt", "arrived_ns", "first_ns", "ended_ns")))
            for row in csv.DictReader(lines)
        ]
        stamps = client.stamps(folder) or []
        delays = stamping.delays_ms(sends, stamps)
        warm = delays[int(len(delays) * window.BEGIN) :]  # what came before is warm-up
        ttft = [(stamp.first - stamp.begun) / 1e6 for stamp in stamps]
        return Stamped(
            delay_mean=statistics.mean(warm),
            delay_p99=stamping.percentile(warm, 99),
            ttft_mean=statistics.mean(ttft),
            ttft_p99=stamping.percentile(ttft, 99),
            count=len(warm),
        )


class Observer:
    """Reads a client's and the stub's counts while the client runs."""

    def __init__(self, url, pid, core):
        self.samples = []
        self.rss_mb = 0.0
        self.descriptors = 0
        self.failure = None
        self._url, self._pid, self._core = url, pid, core
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._observe, daemon=True)
        self._thread.start()

    def end(self):
        self._ended.set()
        self._thread.join()

    def _observe(self):
        os.sched_setaffinity(0, {self._core})  # of this thread: the client's core is the client's
        host = self._url.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=30)
        looks = 0
        processes = [self._pid]
        cpu_s = {}
        try:
            while not self._ended.wait(SAMPLE_EVERY_S):
                if looks % LOOK_EVERY == 0:
                    processes = family(self._pid)
                    self._look(processes)
                looks += 1
                for pid in processes:
                    used = cpu_seconds(pid)
                    if used is not None:
                        cpu_s[pid] = used  # of a process that has ended, its last
                connection.request("GET", "/stub/stats")
                counts = json.load(connection.getresponse())
                self.samples.append(
                    window.Sample(
                        seconds=counts["nanos"] / 1e9,
                        completed=counts["completed"],
                        events=counts["events"],
                        stub_cpu_s=counts["cpu_nanos"] / 1e9,
                        client_cpu_s=sum(cpu_s.values()),
                    )
                )
        except (OSError, ValueError, http.client.HTTPException) as error:
            self.failure = error
        finally:
            connection.close()

    def _look(self, processes):
        pages, descriptors = 0, 0
        for pid in processes:
            try:
                pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
                descriptors += len(os.listdir(f"/proc/{pid}/fd"))
            except (OSError, IndexError):
                continue  # it has just ended
        self.rss_mb = max(self.rss_mb, pages * PAGE_MB)
        self.descriptors = max(self.descriptors, descriptors)


def stats(url):
    with urllib.request.urlopen(url + "/stub/stats", timeout=30) as response:
        return json.load(response)


def family(pid):
    """A process and its descendants."""
    children = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = stat_fields(entry)
            if fields:
                children.setdefault(int(fields[1]), []).append(int(entry))
    found = [pid]
    for parent in found:
        found += children.get(parent, [])
    return found


def cpu_seconds(pid):
    """CPU time of a process so far; None if it has ended."""
    fields = stat_fields(pid)
    return (int(fields[11]) + int(fields[12])) * TICK_S if fields else None


def stat_fields(pid):
    """The fields of /proc/PID/stat from the state on; None if the process has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return fields or None
