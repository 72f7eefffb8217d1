#!/usr/bin/env python3
"""Measures LLM load clients against the stub, in rounds in which the clients take turns; see README.md.

The report goes to the standard output as Markdown, progress to the standard error, and every single run as a line of
JSON to --records. Exit codes: 0 all targets that were measured are met, 1 a client failed, 2 wrong arguments, 3 a
target was missed (not with --quick).
"""

import argparse
import dataclasses
import json
import os
import resource
import shlex
import signal
import sys
import time
from pathlib import Path

import report
from cases import BINDING, CASES, CLIENTS, CONTROL, FULL, HARNESS, OKHTTP, OPTIONAL, QUICK, RUNNER, RUST, TARGETS, VLLM, LoadGenAlone
from clients import Control, Harness, Runner, RustClient, VllmBench
from measure import Bench, MeasurementError
from results import Results

NAMES = {"runner": RUNNER, "okhttp": OKHTTP, "harness": HARNESS, "control": CONTROL, "vllm": VLLM, "rust": RUST}


class Session:
    """What a case needs: clients, the bench, and where values go."""

    def __init__(self, bench, clients, effort, records, progress):
        self.bench, self.clients, self.effort = bench, clients, effort
        self.results = Results()
        self.guesses = {}
        self._records, self._progress = records, progress

    @property
    def loop_cores(self):
        """Two cores for two event loops: free ones if there are, else the stub's is one of them."""
        usable = sorted(os.sched_getaffinity(0) | {self.bench.stub_core, self.bench.client_core})
        return usable[1:3] if len(usable) > 2 else usable

    def cores_of(self, loops):
        """(the stub's, the client's) for so many event loops: a core each and the others for the stub, or where there are
        not enough all of them for the client; None where there are fewer than loops."""
        usable = sorted(os.sched_getaffinity(0) | {self.bench.stub_core, self.bench.client_core})
        if len(usable) < loops:
            return None
        return (usable[:-loops], usable[-loops:]) if len(usable) > loops else ([self.bench.stub_core], usable)

    def turn(self, sequence):
        """Who goes first has the cooler machine."""
        return list(sequence) if self.results.round % 2 else list(reversed(sequence))

    def run_round(self, cases):
        for case in cases:
            for name in self.turn(case.clients):
                client = self.clients.get(name)
                if client is None or not in_round(case, self.results.round):
                    continue
                self._progress.begin(f"{case.name}: {name}")
                try:
                    case.measure(self, client)
                except MeasurementError as error:
                    self.results.fail(case.name, name, str(error))
                    self._progress.say(f"FAILED {error}")
                self._progress.end(expected(case, self.effort, client))
        self.results.round += 1

    def run(self, case, client, workload, what, **how):
        """A measurement; see Bench.run."""
        self._progress.say(f"{case}: {client.name}, {what}")
        measured = self.bench.run(client, workload, **how)
        record = {"round": self.results.round, "case": case, "client": client.name, "what": what}
        record["workload"] = dataclasses.asdict(workload)
        record["measured"] = measured and dataclasses.asdict(measured)
        self._records.write(json.dumps(record) + "\n")
        self._records.flush()
        return measured

    def completed(self, case, client, workload, what, **how):
        """A measurement without errors."""
        measured = self.run(case, client, workload, what, **how)
        if measured.figures.errors:
            raise MeasurementError(f"{client.name}, {what}: {measured.figures.errors} errors")
        return measured


def in_round(case, number):
    return case.every_round or number % 2 == 1


def expected(case, effort, client):
    """About how many seconds a case takes with a client."""
    return client.startup_s + case.seconds(effort, client.name)


class Progress:
    """Lines on the standard error, with the time that is left."""

    def __init__(self, planned_s, clock=time.monotonic):
        self._planned, self._done, self._clock = planned_s, 0.0, clock
        self._begun = clock()

    def begin(self, text):
        self.say(f"{text}, {self.left()}")

    def end(self, planned_s):
        self._done += planned_s

    def left(self):
        """By the plan, at the speed so far."""
        remaining = max(0.0, self._planned - self._done)
        if self._done:
            remaining *= (self._clock() - self._begun) / self._done
        return f"about {remaining / 60:.0f} min left"

    @staticmethod
    def say(text):
        print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def available(given):
    """The clients by name, and why others are not there."""
    options = shlex.split(given.java_options)
    found = {
        RUNNER: Runner(given.java, given.class_path, options, transport=given.transport),
        OKHTTP: Runner(given.java, given.class_path, options, OKHTTP, "okhttp"),
        CONTROL: Control(given.control),
        BINDING: LoadGenAlone(given.root),
    }
    missing = {}
    if given.harness:
        found[HARNESS] = Harness(given.harness_python, given.harness)
    else:
        missing[HARNESS] = "--harness was not given; hack/benchmark/README.md says where to get it"
    rivals = Path(given.rivals)
    setup = "is not there; hack/real-servers/setup.sh installs it (7 GB)"
    for name, client, program in (
        (VLLM, VllmBench, rivals / "vllm" / "bin" / "vllm"),
        (RUST, RustClient, rivals / "sglang" / "bin" / "python"),
    ):
        if program.exists():
            found[name] = client(rivals)
        else:
            missing[name] = f"{program} {setup}"
    for name in CLIENTS:
        if name not in given.clients:
            found.pop(name, None)
            missing[name] = "not among --clients"
    return found, missing


def chosen(parser, what, text, names):
    """The words of a comma-separated list, each of which must be one of the names."""
    words = [word for word in text.split(",") if word]
    unknown = [word for word in words if word not in names]
    if unknown or not words:
        parser.error(f"--{what} {text}: choose from {', '.join(names)}")
    return words


def arguments():
    default = [case.name for case in CASES if case.name not in OPTIONAL]
    parser = argparse.ArgumentParser(description="Measures LLM load clients against the stub; see README.md.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="one short round: does everything work?")
    parser.add_argument("--cases", default=",".join(default), help="default: %(default)s")
    parser.add_argument("--clients", default=",".join(NAMES), help="default: %(default)s")
    parser.add_argument("--stub", required=True, help="the stub's program")
    parser.add_argument("--control", required=True, help="the control's program")
    parser.add_argument("--root", default=str(Path(__file__).resolve().parents[2]), help="of this repository")
    parser.add_argument("--java", required=True)
    parser.add_argument("--class-path", required=True, help="of the runner")
    parser.add_argument("--java-options", default="-XX:MaxRAMPercentage=20", help="for the runner; default: %(default)s")
    parser.add_argument("--transport", choices=("eventloop", "okhttp"), help="of the runner; default: its own choice")
    parser.add_argument("--harness", help="folder with the Python harness")
    parser.add_argument("--harness-python", help="Python that has what the harness imports")
    parser.add_argument("--rivals", required=True, help="folder of hack/real-servers/setup.sh")
    parser.add_argument("--records", required=True, help="file for the single runs")
    parser.add_argument("--into", type=Path, help="page into which the report goes as well, between two marks")
    parsed = parser.parse_args()
    if parsed.rounds < 1:
        parser.error("--rounds must be 1 or more")
    if parsed.harness and not parsed.harness_python:
        parser.error("--harness needs --harness-python")
    if parsed.into:
        try:
            report.parts(parsed.into)
        except (OSError, ValueError) as error:
            parser.error(f"--into {error}")
    parsed.cases = chosen(parser, "cases", parsed.cases, [case.name for case in CASES])
    parsed.clients = [NAMES[name] for name in chosen(parser, "clients", parsed.clients, list(NAMES))]
    return parsed


def cores():
    """A core for the stub and one for the client."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        raise MeasurementError("two cores are needed, one for the stub and one for the client; this process may use one")
    return usable[:2]


def allow_descriptors():
    """As many as the system lets this user have: 10 000 streams need as many here and at the stub."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


def main():
    given = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    clients, missing = available(given)
    cases = [case for case in CASES if case.name in given.cases]
    effort, rounds = (QUICK, 1) if given.quick else (FULL, given.rounds)
    plan = [
        expected(case, effort, clients[name])
        for number in range(1, rounds + 1)
        for case in cases
        for name in case.clients
        if name in clients and in_round(case, number)
    ]
    if not plan:
        sys.exit("benchmark: none of the --clients takes part in the --cases")
    try:
        stub_core, client_core = cores()
        files = allow_descriptors()
        if "streams" in given.cases and files < effort.streams + 500:
            raise MeasurementError(f"{effort.streams} streams need more than the {files} open files that are allowed: raise ulimit -Hn")
        machine = report.machine(given)
        progress = Progress(sum(plan))
        progress.say(f"{rounds} round{'s' if rounds > 1 else ''}, {progress.left()}")
        with Bench(given.stub, stub_core, client_core) as bench, open(given.records, "w") as records:
            session = Session(bench, clients, effort, records, progress)
            for number in range(1, rounds + 1):
                progress.say(f"round {number} of {rounds}")
                session.run_round(cases)
    except MeasurementError as error:
        sys.exit(f"benchmark: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
    text, missed = report.markdown(session.results, cases, TARGETS, missing, machine, rounds)
    print(text)
    if given.into:
        report.into(given.into, text)
    if session.results.failures:
        sys.exit(1)
    if missed and not given.quick:
        sys.exit(3)


if __name__ == "__main__":
    main()
