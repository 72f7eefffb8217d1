#!/usr/bin/env python3
"""Measures LoadGen clients against the stub, in rounds in which the clients take turns; see README.md.

Tables go to the standard output as Markdown, progress to the standard error, and every single run as a line of
JSON to --records.
"""

import argparse
import dataclasses
import json
import math
import os
import shlex
import signal
import sys
import time
from dataclasses import dataclass

import report
import search
from clients import Harness, Runner
from measure import Bench, MeasurementError
from workloads import BATCHED, JOINED, PACED, PLAIN, STREAMED


@dataclass(frozen=True)
class Effort:
    """How much is measured in a round.

    Runs of Offline are as long in seconds, or nearly, whatever the client: `samples` is for each workload by the
    client's name.
    """

    fixed_rate: float
    fixed_seconds: float
    probe_seconds: float
    first_step: float
    first_refinements: int
    next_step: float
    next_refinements: int
    cap: float
    searched: tuple
    samples: dict


FULL = Effort(
    fixed_rate=100,
    fixed_seconds=20,
    probe_seconds=8,
    first_step=1.5,
    first_refinements=3,
    next_step=1.1,
    next_refinements=1,
    cap=math.inf,
    searched=(PACED, JOINED),
    samples={
        PLAIN: {"runner": 60_000, "Python harness": 4_000},
        STREAMED: {"runner": 60_000},
        BATCHED: {"runner": 128_000, "Python harness": 24_000},
    },
)

# Long enough to see that everything works; the numbers mean nothing.
QUICK = Effort(
    fixed_rate=50,
    fixed_seconds=1,
    probe_seconds=1,
    first_step=1.5,
    first_refinements=0,
    next_step=1.5,
    next_refinements=0,
    cap=50,
    searched=(PACED,),
    samples={
        PLAIN: {"runner": 500, "Python harness": 200},
        BATCHED: {"runner": 640, "Python harness": 640},
    },
)

FIRST_GUESS = {"runner": 400, "Python harness": 200}


class Rounds:
    """The measurements of all rounds, each kept by table row and client."""

    def __init__(self, bench, clients, effort, records):
        self.bench, self.clients, self.effort, self.records = bench, clients, effort, records
        self.results = report.Results([client.name for client in clients])
        self.guesses = {}
        self.startup_cpu_s = {}

    def run(self, number):
        self.startup_cpu_s = {}  # the host's speed changes; each round has its own
        # Who goes first has the cooler machine.
        order = self.clients if number % 2 else list(reversed(self.clients))
        for client in order:
            self._fixed_rate(client)
        for workload, samples in self.effort.samples.items():
            for client in order:
                if client.supports(workload):
                    self._offline(client, workload.of(samples[client.name]))
        for workload in self.effort.searched:
            for client in order:
                self._sustained(client, workload)
        self.results.end_round()

    def _measure(self, client, workload, what, limit_s=180):
        progress(f"{client.name}: {workload.name}, {what}")
        measured = self.bench.run(client, workload, limit_s)
        record = {"client": client.name, "workload": dataclasses.asdict(workload), "what": what}
        record["measured"] = measured and dataclasses.asdict(measured)
        self.records.write(json.dumps(record) + "\n")
        self.records.flush()
        return measured

    def _completed(self, client, workload, what):
        measured = self._measure(client, workload, what)
        if measured is None:
            raise MeasurementError(f"{client.name}: {workload.name}, {what}: did not end in time")
        if measured.figures.errors:
            raise MeasurementError(f"{client.name}: {workload.name}, {what}: LoadGen counts errors in its detail log")
        return measured

    def _startup(self, client, workload):
        """CPU seconds of a run of the workload's kind with two samples."""
        kind = (client.name, client.startup_of(workload))
        if kind not in self.startup_cpu_s:
            least = dataclasses.replace(workload, rate=self.effort.fixed_rate, seconds=0, samples=max(2, workload.batch))
            measured = self._completed(client, least, "start-up")
            self.startup_cpu_s[kind] = measured.cpu_s
            self.results.add(report.STARTUP_CPU.of(workload), client.name, measured.cpu_s)
            self.results.add(report.STARTUP_RSS.of(workload), client.name, measured.rss_mb)
        return self.startup_cpu_s[kind]

    def _cost(self, client, workload, measured):
        thousands = measured.figures.samples / 1000
        net = max(0.0, measured.cpu_s - self._startup(client, workload))
        self.results.add(report.NET_CPU.of(workload), client.name, net / thousands)
        self.results.add(report.TOTAL_CPU.of(workload), client.name, measured.cpu_s)
        self.results.add(report.RSS.of(workload), client.name, measured.rss_mb)

    def _fixed_rate(self, client):
        workload = PACED.at(self.effort.fixed_rate, self.effort.fixed_seconds)
        measured = self._completed(client, workload, f"at {self.effort.fixed_rate:g}/s")
        self._cost(client, workload, measured)
        figures = measured.figures
        for percentile, value in figures.ttft_ms.items():
            self.results.add(report.TTFT[percentile].of(workload), client.name, value)
        self.results.add(report.TPOT.of(workload), client.name, figures.tpot_p99_ms)

    def _offline(self, client, workload):
        measured = self._completed(client, workload, f"{workload.samples} samples")
        self._cost(client, workload, measured)
        self.results.add(report.RATE.of(workload), client.name, measured.figures.rate, measured.stub_share)

    def _sustained(self, client, workload):
        effort, key = self.effort, (client.name, workload)

        def holds(rate):
            probe = workload.at(rate, effort.probe_seconds)
            # A queue that takes this long to drain is no schedule kept.
            measured = self._measure(client, probe, f"probe at {rate:.0f}/s", 60 + 5 * effort.probe_seconds)
            return measured if measured and search.sustains(probe, measured.figures) else None

        known = self.guesses.get(key)
        step, refinements = effort.first_step, effort.first_refinements
        if known:
            step, refinements = effort.next_step, effort.next_refinements
        rate, best = search.highest(holds, known or FIRST_GUESS[client.name], step, refinements, effort.cap)
        if rate is None:
            raise MeasurementError(f"{client.name}: {workload.name}: no rate is sustained")
        self.guesses[key] = rate
        self.results.add(report.SUSTAINED.of(workload), client.name, best.figures.scheduled, best.stub_share)


def progress(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def cores():
    """A core for the stub and one for the client."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise MeasurementError("two cores are needed, one for the stub and one for the client; this process may use one")
    return usable[:2]


def arguments():
    parser = argparse.ArgumentParser(description="Measures LoadGen clients against the stub; see README.md.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one short round: does everything work?")
    parser.add_argument("--stub", required=True, help="the stub's program")
    parser.add_argument("--java", required=True)
    parser.add_argument("--class-path", required=True, help="of the runner")
    parser.add_argument("--java-options", default="-XX:MaxRAMPercentage=20", help="for the runner; default: %(default)s")
    parser.add_argument("--harness", help="folder with the Python harness; without it, the runner is measured alone")
    parser.add_argument("--harness-python", help="Python that has what the harness imports")
    parser.add_argument("--records", required=True, help="file for the single runs")
    parsed = parser.parse_args()
    if parsed.rounds < 1:
        parser.error("--rounds must be 1 or more")
    if parsed.harness and not parsed.harness_python:
        parser.error("--harness needs --harness-python")
    return parsed


def main():
    given = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    clients = [Runner(given.java, given.class_path, shlex.split(given.java_options))]
    if given.harness:
        clients.append(Harness(given.harness_python, given.harness))
    try:
        stub_core, client_core = cores()
        machine = report.machine(given)
        with Bench(given.stub, stub_core, client_core) as bench, open(given.records, "w") as records:
            rounds = Rounds(bench, clients, QUICK if given.quick else FULL, records)
            total = 1 if given.quick else given.rounds
            for number in range(1, total + 1):
                progress(f"round {number} of {total}")
                rounds.run(number)
    except MeasurementError as error:
        sys.exit(f"benchmark: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    print(report.markdown(rounds.results, machine, total))


if __name__ == "__main__":
    main()
