"""The cases: what is measured of which clients, and the targets that are held against it."""

import dataclasses
import math
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import search
from measure import MeasurementError
from results import Quantity, Target
from workloads import BATCHED, FLUSHED, HEAVY, HEAVY_SERVER, JOINED, LONG, MANY, OVERLOAD, PACED, PLAIN, SUSTAINED

RUNNER, OKHTTP, HARNESS, CONTROL = "runner", "runner, OkHttp", "Python harness", "Go control"
VLLM, RUST = "vllm bench serve", "SGLang Rust client"
NATIVE, BINDING = "C++, no binding", "Java, completed within issueQuery"

CLIENTS = (RUNNER, OKHTTP, HARNESS, CONTROL, VLLM, RUST)

SUSTAINED_RATE = Quantity("sustained rate", "requests/s", 0)
RATE = Quantity("rate", "requests/s", 0)
CPU_REQUEST = Quantity("CPU per request", "ms", 3)
CPU_EVENT = Quantity("CPU per event", "us", 2)
EVENTS = Quantity("events", "1000/s", 1)
CLIENT_SHARE = Quantity("client's CPU", "cores", 2)
STUB_SHARE = Quantity("stub's CPU", "cores", 2)
RSS = Quantity("peak memory", "MiB", 0)
STAMP_MEAN = Quantity("stamping delay, mean", "ms", 3)
STAMP_P99 = Quantity("stamping delay, p99", "ms", 3)
TTFT_MEAN = Quantity("TTFT error, mean", "ms", 2)
TTFT_P99 = Quantity("TTFT error, p99", "ms", 2)
SENT_MEAN = Quantity("TTFT error from the send, mean", "ms", 2)
SENT_P99 = Quantity("TTFT error from the send, p99", "ms", 2)
TPOT_P99 = Quantity("TPOT, p99", "ms", 2)
ERRORS = Quantity("errors", "samples", 0)
IN_FLIGHT = Quantity("most in flight", "requests", 0)
CAP = Quantity("cap", "requests", 0)
CAP_USED = Quantity("most in flight to cap", "", 2)
DESCRIPTORS = Quantity("most descriptors", "", 0)
FLAGGED = Quantity("flagged client-limited", "1 is yes", 0)
ONE_LOOP = Quantity("rate, one loop", "requests/s", 0)
TWO_LOOPS = Quantity("rate, two loops", "requests/s", 0)
ONE_LOOP_CPU = Quantity("CPU per event, one loop", "us", 3)
TWO_LOOPS_CPU = Quantity("CPU per event, two loops", "us", 3)
SCALE = Quantity("two loops to one, with a core each", "", 2)
SCALE_RAW = Quantity("two loops to one, as measured", "", 2)
LOOPS = (1, 2, 8)
FULL_BUSY = {n: Quantity(f"{n} full, least busy", "share", 2) for n in LOOPS}
FULL_FLAGGED = {n: Quantity(f"{n} full, flagged", "1 is yes", 0) for n in LOOPS}
FULL_EVENTS = {n: Quantity(f"{n} full", "1000 tokens/s", 0) for n in LOOPS}
PART = 0.6
PART_BUSY = {n: Quantity(f"{n} at 60 %, busiest", "share", 2) for n in LOOPS}
PART_FLAGGED = {n: Quantity(f"{n} at 60 %, flagged", "1 is yes", 0) for n in LOOPS}
ISSUED = {False: Quantity("Server", "1000/s", 0), True: Quantity("Server, token latencies", "1000/s", 0)}


@dataclass(frozen=True)
class Effort:
    """How much is measured in a round."""

    equal_rate: float
    equal_seconds: float
    probe_seconds: float
    first_step: float
    first_refinements: int
    next_step: float
    next_refinements: int
    cap: float
    paced_rate: float
    paced_rate_vllm: float
    paced_seconds: float
    ttft_rate: float
    ttft_seconds: float
    closed_seconds: float
    streams: int
    overload_rate: float
    overload_seconds: float
    overload_files: int
    busy_seconds: float
    loadgen_samples: int


FULL = Effort(
    equal_rate=200,
    equal_seconds=8,
    probe_seconds=6,
    first_step=1.3,
    first_refinements=2,
    next_step=1.08,
    next_refinements=0,
    cap=math.inf,
    paced_rate=500,
    # What it carries on one core.
    paced_rate_vllm=300,
    paced_seconds=15,
    ttft_rate=100,
    ttft_seconds=10,
    closed_seconds=5,
    streams=10_000,
    overload_rate=4000,
    overload_seconds=3,
    overload_files=1024,
    busy_seconds=12,
    loadgen_samples=1_500_000,
)

# Long enough to see that everything works; the numbers mean nothing.
QUICK = Effort(
    equal_rate=50,
    equal_seconds=2,
    probe_seconds=1,
    first_step=1.5,
    first_refinements=0,
    next_step=1.5,
    next_refinements=0,
    cap=50,
    paced_rate=50,
    paced_rate_vllm=50,
    paced_seconds=2,
    ttft_rate=50,
    ttft_seconds=2,
    closed_seconds=1,
    streams=200,
    overload_rate=3000,
    overload_seconds=0.5,
    overload_files=512,
    busy_seconds=2,
    loadgen_samples=50_000,
)

FIRST_GUESS = {RUNNER: 1300, HARNESS: 270}

# About what each carries, so that closed loops last about as long with every client.
CLOSED_RATES = {
    FLUSHED: {RUNNER: 2200, OKHTTP: 2000, CONTROL: 2200},
    JOINED: {RUNNER: 24_000, OKHTTP: 15_000, CONTROL: 24_000, VLLM: 1300, RUST: 5000},
    LONG: {RUNNER: 2200},
    HEAVY: {RUNNER: 450},
    PLAIN: {RUNNER: 20_000, HARNESS: 770},
    BATCHED: {RUNNER: 25_000, HARNESS: 12_000},
}


@dataclass(frozen=True)
class Case:
    """measure(session, client) measures one client in one round; seconds(effort, client) is about how long that takes
    beside the client's start. A case that is not in every round is in every other one, from the first.
    """

    name: str
    title: str
    clients: tuple
    measure: Callable
    seconds: Callable
    every_round: bool = True


def usage(session, case, client, measured, rate=True):
    """What a window shows of any client."""
    w, add = window_of(client, measured), session.results.add
    if rate:
        add(case, client.name, RATE, w.rate, w.stub_share)
    add(case, client.name, CPU_EVENT, w.cpu_us_per_event)
    add(case, client.name, EVENTS, w.events / w.seconds / 1000)
    add(case, client.name, CLIENT_SHARE, w.client_share)
    add(case, client.name, STUB_SHARE, w.stub_share)
    add(case, client.name, RSS, measured.rss_mb)


def window_of(client, measured):
    if measured.window is None:
        raise MeasurementError(f"{client.name}: the test was over in {measured.figures.seconds:.1f} s, too short to be measured")
    return measured.window


# --- sustained ------------------------------------------------------------------------------------------------------


def sustained(session, client):
    effort, add = session.effort, session.results.add
    equal = SUSTAINED.at(effort.equal_rate, effort.equal_seconds)
    measured = session.completed("sustained", client, equal, f"at {equal.rate:g}/s")
    add("sustained", client.name, CPU_REQUEST, window_of(client, measured).cpu_ms_per_request)
    add("sustained", client.name, RSS, measured.rss_mb)

    def holds(rate):
        probe = SUSTAINED.at(rate, effort.probe_seconds)
        # A queue that takes this long to drain is no schedule kept.
        how = {"limit_s": 60 + 5 * effort.probe_seconds, "may_be_late": True}
        measured = session.run("sustained", client, probe, f"probe at {rate:.0f}/s", **how)
        return measured if measured and search.sustains(probe, measured.figures) else None

    known = session.guesses.get(client.name)
    step, refinements = effort.first_step, effort.first_refinements
    if known:
        step, refinements = effort.next_step, effort.next_refinements
    rate, best = search.highest(holds, known or FIRST_GUESS[client.name], step, refinements, effort.cap)
    if rate is None:
        raise MeasurementError(f"{client.name}: no rate is sustained")
    session.guesses[client.name] = rate
    stub_share = best.window.stub_share if best.window else None
    add("sustained", client.name, SUSTAINED_RATE, best.figures.scheduled, stub_share)


# --- open loops -----------------------------------------------------------------------------------------------------


def latencies(session, case, client, measured, ttft_ms):
    add, figures = session.results.add, measured.figures
    if figures.ttft_ms:
        add(case, client.name, TTFT_MEAN, figures.ttft_ms["mean"] - ttft_ms)
        add(case, client.name, TTFT_P99, figures.ttft_ms[99] - ttft_ms)
    if measured.stamped:
        add(case, client.name, SENT_MEAN, measured.stamped.ttft_mean - ttft_ms)
        add(case, client.name, SENT_P99, measured.stamped.ttft_p99 - ttft_ms)
        add(case, client.name, STAMP_MEAN, measured.stamped.delay_mean)
        add(case, client.name, STAMP_P99, measured.stamped.delay_p99)


def paced(session, client):
    effort = session.effort
    rate = effort.paced_rate_vllm if client.name == VLLM else effort.paced_rate
    workload = PACED.at(rate, effort.paced_seconds)
    measured = session.completed("paced", client, workload, f"at {rate:g}/s", stamped=client.name != VLLM)
    usage(session, "paced", client, measured)
    latencies(session, "paced", client, measured, workload.ttft_ms)


def ttft(session, client):
    workload = PACED.at(session.effort.ttft_rate, session.effort.ttft_seconds)
    measured = session.completed("ttft", client, workload, f"at {workload.rate:g}/s", stamped=client.name != RUST)
    latencies(session, "ttft", client, measured, workload.ttft_ms)


# --- closed loops ---------------------------------------------------------------------------------------------------


def closed(case, workload):
    def measure(session, client):
        rate = CLOSED_RATES[workload][client.name]
        samples = max(2 * workload.in_flight * workload.batch, round(rate * session.effort.closed_seconds))
        measured = session.completed(case, client, workload.of(samples), f"{samples} samples")
        usage(session, case, client, measured)

    return measure


def offline(session, client):
    for workload in (PLAIN, BATCHED):
        samples = round(CLOSED_RATES[workload][client.name] * session.effort.closed_seconds)
        samples -= samples % workload.batch
        measured = session.completed("offline", client, workload.of(samples), workload.name)
        name = Quantity(workload.name, "samples/s", 0)
        session.results.add("offline", client.name, name, measured.figures.rate, measured.stub_share)


# A pod with so much memory has a JVM that knows of so much.
STREAMS_MIB = 512
STREAMS_OPTIONS = (f"-XX:MaxRAM={STREAMS_MIB}m", "-XX:MaxRAMPercentage=50")


def streams(session, client):
    count = session.effort.streams
    workload = dataclasses.replace(MANY, in_flight=count, samples=count)
    measured = session.run("streams", client.having(*STREAMS_OPTIONS), workload, f"{count} streams at once", limit_s=300)
    add = session.results.add
    add("streams", client.name, ERRORS, failed_samples(measured))
    add("streams", client.name, IN_FLIGHT, measured.max_in_flight)
    add("streams", client.name, DESCRIPTORS, measured.descriptors)
    usage(session, "streams", client, measured, rate=False)
    session.results.add("streams", client.name, RSS, measured.rss_mb)


def failed_samples(measured):
    """By the runner's account, or LoadGen's where that is more."""
    return max(measured.notes.get("failed") or 0, measured.figures.errors)


def overload(session, client):
    effort = session.effort
    workload = OVERLOAD.at(effort.overload_rate, effort.overload_seconds)
    what = f"at {workload.rate:g}/s with {effort.overload_files} descriptors"
    measured = session.run("overload", client, workload, what, limit_s=240, open_files=effort.overload_files)
    add = session.results.add
    add("overload", client.name, ERRORS, failed_samples(measured))
    concurrency = measured.notes["environment"].get("concurrency")
    if concurrency is None:
        raise MeasurementError(f"{client.name}: environment.json has no \"concurrency\", so that the cap is not known")
    add("overload", client.name, CAP, concurrency["cap"])
    # The stub writes an answer at once, so that most of what the client has open is on its way or not read yet.
    most = max(measured.max_in_flight, concurrency["peak"])
    add("overload", client.name, IN_FLIGHT, most)
    add("overload", client.name, CAP_USED, most / concurrency["cap"])
    add("overload", client.name, DESCRIPTORS, measured.descriptors)
    add("overload", client.name, FLAGGED, int("ClientLimited" in measured.notes["rules"]))
    usage(session, "overload", client, measured)


def loops(session, client):
    cores = session.loop_cores
    shared = session.bench.stub_core in cores
    samples = round(CLOSED_RATES[LONG][RUNNER] * session.effort.closed_seconds)
    windows = {}
    for count in session.turn((1, 2)):
        loaded = client.having(f"-Dloadgen.eventLoops={count}")
        what = f"{count} event loop{'s' if count > 1 else ''} on {len(cores)} cores"
        measured = session.completed("loops", loaded, LONG.of(samples), what, cores=cores)
        carried = measured.notes["environment"]["transport"]["eventLoops"]
        if carried != count:
            raise MeasurementError(f"{client.name}: {carried} event loops instead of {count}")
        windows[count] = window_of(loaded, measured)
    one, two = windows[1], windows[2]
    add = session.results.add
    add("loops", client.name, ONE_LOOP, one.rate, one.stub_share)
    add("loops", client.name, TWO_LOOPS, two.rate, two.stub_share)
    add("loops", client.name, ONE_LOOP_CPU, one.cpu_us_per_event)
    add("loops", client.name, TWO_LOOPS_CPU, two.cpu_us_per_event)
    add("loops", client.name, CLIENT_SHARE, two.client_share)
    add("loops", client.name, STUB_SHARE, two.stub_share)
    raw = two.rate / one.rate
    add("loops", client.name, SCALE_RAW, raw)
    # Where the stub has no core of its own, the two loops have none either: what an event costs says what they would carry.
    add("loops", client.name, SCALE, 2 * one.cpu_us_per_event / two.cpu_us_per_event if shared else raw)


# Where any thread is so late, the loops are for want of processors, as the runner then says as well.
LATE_MS = 50

# What the runner says of itself when a loop has no time to spare.
NO_TIME = "no spare time"


def busy(session, client):
    """Loops that have all the work that they can take, and then 60 % of it: the first have to be flagged, the others not."""
    seconds = session.effort.busy_seconds
    for count in session.turn(LOOPS):
        cores = session.cores_of(count)
        if cores is None:
            continue
        how = {"stub_cores": cores[0], "cores": cores[1]}
        loaded = client.having(f"-Dloadgen.eventLoops={count}")
        loops = f"{count} event loop{'s' if count > 1 else ''}"
        full = dataclasses.replace(HEAVY, in_flight=64 * count, samples=round(CLOSED_RATES[HEAVY][RUNNER] * count * seconds))
        measured = session.completed("busy", loaded, full, f"{loops}, full", **how)
        window = window_of(loaded, measured)
        add = session.results.add
        add("busy", client.name, FULL_EVENTS[count], window.events / window.seconds / 1000, window.stub_share)
        add("busy", client.name, FULL_BUSY[count], min(lane["busyP95"] or 0 for lane in lanes(measured, count)))
        add("busy", client.name, FULL_FLAGGED[count], flagged(measured))
        # Long enough that one second in which somebody else had the machine is less than a twentieth.
        part = HEAVY_SERVER.at(PART * window.rate, 2 * seconds)
        measured = session.completed("busy", loaded, part, f"{loops} at {PART:.0%}", **how)
        late = measured.notes["environment"]["client"]["stampLagP99Ms"]
        if late > LATE_MS:
            raise MeasurementError(f"{loops} at {PART:.0%}: the machine was not idle, its threads ran {late:.0f} ms late (p99)")
        add("busy", client.name, PART_BUSY[count], max(lane["busyShare"] or 0 for lane in lanes(measured, count)))
        add("busy", client.name, PART_FLAGGED[count], flagged(measured))


def lanes(measured, count):
    """What each event loop said of itself."""
    found = measured.notes["environment"].get("client", {}).get("lanes") or []
    if len(found) != count:
        raise MeasurementError(f"{len(found)} event loops instead of {count}")
    return found


def flagged(measured):
    """Whether the runner called itself limited by a full loop; other limits of the machine do not count."""
    reasons = zip(measured.notes["rules"], measured.notes["reasons"])
    return int(any(rule == "ClientLimited" and NO_TIME in reason for rule, reason in reasons))


def binding(session, client):
    """LoadGen with a system under test that does nothing; the client is a folder of results, see LoadGenAlone."""
    for tokens, rates in client.rates(session.effort.loadgen_samples).items():
        for name, rate in rates.items():
            session.results.add("binding", name, ISSUED[tokens], rate / 1000)


class LoadGenAlone:
    """mlperf-loadgen-jni/bench/run.sh, as a client."""

    name = BINDING
    startup_s = 3

    def __init__(self, root):
        self.bench = Path(root) / "mlperf-loadgen-jni"

    def rates(self, samples):
        """Rates with and without token latencies, by the system under test."""
        environment = os.environ | {"VARIANTS": "native inline", "SCENARIOS": "Server", "SERVER_SAMPLES": str(samples)}
        done = subprocess.run([self.bench / "bench" / "run.sh", "1"], env=environment, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MeasurementError(f"mlperf-loadgen-jni/bench/run.sh failed: {done.stderr.strip()[-500:]}")
        names = {"native": NATIVE, "inline": BINDING}
        rates = {False: {}, True: {}}
        for line in (self.bench / "target" / "bench" / "rates.txt").read_text().splitlines():
            variant, _, tokens, rate = line.split()
            rates[tokens == "true"][names[variant]] = float(rate)
        return rates


# --- all of them ----------------------------------------------------------------------------------------------------


def closed_seconds(effort, client):
    return effort.closed_seconds * 1.3


CASES = (
    Case(
        "sustained",
        "The highest rate that is sustained: a write for each of 64 tokens, TTFT 50 ms, TPOT 10 ms",
        (RUNNER, HARNESS),
        sustained,
        lambda e, client: e.equal_seconds + 2.5 * (e.probe_seconds + 2) + (20 if client == RUNNER else 8),
    ),
    Case(
        "paced",
        "Paced: a write for each of 64 tokens, TTFT 50 ms, TPOT 5 ms, 500 requests/s (vllm bench serve: 300)",
        (RUNNER, OKHTTP, CONTROL, VLLM),
        paced,
        lambda e, client: e.paced_seconds + 1,
    ),
    Case(
        "ttft",
        "TTFT as the client reports it, less 50 ms: 100 requests/s, TPOT 5 ms, 64 tokens",
        (RUNNER, RUST, CONTROL),
        ttft,
        lambda e, client: e.ttft_seconds + 1,
    ),
    Case(
        "flush",
        "Unpaced, 64 streams in flight, a write for each of 64 tokens",
        (RUNNER, OKHTTP, CONTROL),
        closed("flush", FLUSHED),
        closed_seconds,
    ),
    Case(
        "joined",
        "Unpaced, 64 streams in flight, each of 64 tokens in one write",
        (RUNNER, OKHTTP, CONTROL, VLLM, RUST),
        closed("joined", JOINED),
        closed_seconds,
    ),
    Case(
        "streams",
        "10 000 open streams of 200 tokens, TTFT 2 s, TPOT 100 ms",
        (RUNNER,),
        streams,
        lambda e, client: 30 if e.streams > 1000 else 24,
        every_round=False,
    ),
    Case(
        "overload",
        "Above capacity: 4000 requests/s of 1024 tokens, each stream in one write, 1024 descriptors",
        (RUNNER,),
        overload,
        lambda e, client: 5 * e.overload_seconds,
        every_round=False,
    ),
    Case(
        "loops",
        "Two event loops to one: 64 streams of 1024 tokens in flight, each in one write",
        (RUNNER,),
        loops,
        lambda e, client: 2 * e.closed_seconds * 1.3 + 12,
    ),
    Case(
        "busy",
        "Event loops that are full, and at 60 % of that rate: streams of 1024 tokens with accents, each in one write",
        (RUNNER,),
        busy,
        lambda e, client: 6 * e.busy_seconds * 1.3 + 36,
        every_round=False,
    ),
    Case(
        "binding",
        "LoadGen alone: the highest rate at which it issues to a system under test that does nothing",
        (BINDING,),
        binding,
        lambda e, client: 14 if e.loadgen_samples > 1_000_000 else 5,
    ),
    Case(
        "offline",
        "Offline without streams, 16 tokens",
        (RUNNER, HARNESS),
        offline,
        lambda e, client: 2 * e.closed_seconds * 1.3 + (12 if client == RUNNER else 5),
    ),
)

# Without a target; measured where they are asked for by name.
OPTIONAL = ("offline",)


def ratio(case, quantity, first, second):
    return lambda results: results.ratios(case, quantity, first, second)


def value(case, client, quantity):
    return lambda results: list(results.of(case, client, quantity).values())


def target(case, text, clients, bound, at_least, values, always=False, decimals=2, cores=1):
    return Target(case, text, clients, bound, at_least, values, always, decimals, cores)


AT_LEAST, AT_MOST = True, False

TARGETS = (
    target(
        "sustained",
        "sustained rate, runner : Python harness",
        (RUNNER, HARNESS),
        5,
        AT_LEAST,
        ratio("sustained", SUSTAINED_RATE, RUNNER, HARNESS),
    ),
    target(
        "sustained",
        "CPU per request at the same rate, runner : Python harness",
        (RUNNER, HARNESS),
        0.2,
        AT_MOST,
        ratio("sustained", CPU_REQUEST, RUNNER, HARNESS),
        decimals=3,
    ),
    target(
        "paced",
        "CPU per event, runner : Go control",
        (RUNNER, CONTROL),
        0.8,
        AT_MOST,
        ratio("paced", CPU_EVENT, RUNNER, CONTROL),
    ),
    target(
        "paced",
        "CPU per event, runner : vllm bench serve",
        (RUNNER, VLLM),
        0.25,
        AT_MOST,
        ratio("paced", CPU_EVENT, RUNNER, VLLM),
    ),
    target("paced", "stamping delay of the runner, p99, ms", (RUNNER,), 1.5, AT_MOST, value("paced", RUNNER, STAMP_P99)),
    target(
        "ttft",
        "mean TTFT error, runner : SGLang Rust client",
        (RUNNER, RUST),
        1,
        AT_MOST,
        ratio("ttft", TTFT_MEAN, RUNNER, RUST),
    ),
    target(
        "ttft",
        "p99 of the TTFT error, runner : Go control (from its send)",
        (RUNNER, CONTROL),
        1,
        AT_MOST,
        lambda results: [
            a / b
            for a, b in paired(results.of("ttft", RUNNER, TTFT_P99), results.of("ttft", CONTROL, SENT_P99))
        ],
    ),
    target("flush", "rate, runner : Go control", (RUNNER, CONTROL), 0.95, AT_LEAST, ratio("flush", RATE, RUNNER, CONTROL)),
    target("joined", "rate, runner : vllm bench serve", (RUNNER, VLLM), 12, AT_LEAST, ratio("joined", RATE, RUNNER, VLLM)),
    target("joined", "rate, runner : SGLang Rust client", (RUNNER, RUST), 3, AT_LEAST, ratio("joined", RATE, RUNNER, RUST)),
    target("streams", "errors of 10 000 open streams", (RUNNER,), 0, AT_MOST, value("streams", RUNNER, ERRORS), True, 0),
    target(
        "streams",
        "streams open at once at the stub",
        (RUNNER,),
        10_000,
        AT_LEAST,
        value("streams", RUNNER, IN_FLIGHT),
        True,
        0,
    ),
    target("streams", "peak memory with them, MiB", (RUNNER,), STREAMS_MIB, AT_MOST, value("streams", RUNNER, RSS), True, 0),
    target("overload", "errors above capacity", (RUNNER,), 0, AT_MOST, value("overload", RUNNER, ERRORS), True, 0),
    target(
        "overload",
        "most descriptors above capacity, of 1024",
        (RUNNER,),
        FULL.overload_files - 1,
        AT_MOST,
        value("overload", RUNNER, DESCRIPTORS),
        True,
        0,
    ),
    target(
        "overload",
        "most requests in flight above capacity : the runner's cap",
        (RUNNER,),
        1,
        AT_MOST,
        value("overload", RUNNER, CAP_USED),
        True,
    ),
    target(
        "overload", "runs above capacity flagged client-limited", (RUNNER,), 1, AT_LEAST, value("overload", RUNNER, FLAGGED), True, 0
    ),
    *(
        each
        for n in LOOPS
        for each in (
            target("busy", f"{n} full of {n} loops, flagged", (RUNNER,), 1, AT_LEAST, value("busy", RUNNER, FULL_FLAGGED[n]), True, 0, n),
            target("busy", f"{n} loops at 60 %, flagged", (RUNNER,), 0, AT_MOST, value("busy", RUNNER, PART_FLAGGED[n]), True, 0, n),
        )
    ),
    target("loops", "rate of two event loops to one", (RUNNER,), 1.8, AT_LEAST, value("loops", RUNNER, SCALE)),
    target(
        "binding",
        "LoadGen's Server through the binding : C++",
        (BINDING,),
        0.9,
        AT_LEAST,
        ratio("binding", ISSUED[False], BINDING, NATIVE),
    ),
    target(
        "binding",
        "the same with token latencies",
        (BINDING,),
        0.9,
        AT_LEAST,
        ratio("binding", ISSUED[True], BINDING, NATIVE),
    ),
    # The prototype on OkHttp: 18.2 us of 13.5 an event, 0.93 of native where each token is a write, 12.7 times vllm bench
    # serve where the stream is one.
    target(
        "paced",
        "CPU per event, runner on OkHttp : Go control",
        (OKHTTP, CONTROL),
        1.35,
        AT_MOST,
        ratio("paced", CPU_EVENT, OKHTTP, CONTROL),
    ),
    target(
        "flush",
        "rate, runner on OkHttp : Go control",
        (OKHTTP, CONTROL),
        0.93,
        AT_LEAST,
        ratio("flush", RATE, OKHTTP, CONTROL),
    ),
    target(
        "joined",
        "rate, runner on OkHttp : vllm bench serve",
        (OKHTTP, VLLM),
        12.7,
        AT_LEAST,
        ratio("joined", RATE, OKHTTP, VLLM),
        decimals=1,
    ),
)


def paired(ones, others):
    return [(ones[r], others[r]) for r in sorted(ones) if others.get(r)]
