"""The results as Markdown."""

import os
import platform
import statistics
import subprocess
from dataclasses import dataclass
from pathlib import Path

# Above this share of its core the stub, and not the client, sets a rate.
STUB_LIMITED = 0.9


@dataclass(frozen=True)
class Quantity:
    """What was measured, and the format of its value."""

    name: str
    unit: str
    decimals: int

    def of(self, workload):
        return Row(self, workload.name)


@dataclass(frozen=True)
class Row:
    quantity: Quantity
    workload: str


SUSTAINED = Quantity("sustained rate", "requests/s", 0)
RATE = Quantity("rate", "samples/s", 0)
NET_CPU = Quantity("CPU per 1000 samples, start-up subtracted", "s", 3)
TOTAL_CPU = Quantity("CPU of the whole process", "s", 2)
RSS = Quantity("peak memory", "MB", 0)
TTFT = {p: Quantity(f"TTFT p{p}", "ms", 1) for p in (50, 90, 99)}
TPOT = Quantity("TPOT p99", "ms", 2)
STARTUP_CPU = Quantity("CPU of the start-up", "s", 2)
STARTUP_RSS = Quantity("peak memory of the start-up", "MB", 0)

TABLES = {
    "Rates": (SUSTAINED, RATE),
    "CPU and memory": (NET_CPU, RSS),
    "Latencies at the fixed rate": (*TTFT.values(), TPOT),
    "Not subtracted": (TOTAL_CPU, STARTUP_CPU, STARTUP_RSS),
}


class Results:
    """Values by row and client, one for each round, and None where a round has none."""

    def __init__(self, clients):
        self.clients = clients
        self.values = {}
        self.stub_shares = {}
        self.rounds = 0

    def add(self, row, client, value, stub_share=0.0):
        self.values.setdefault(row, {}).setdefault(client, {})[self.rounds] = value
        self.stub_shares.setdefault(row, {}).setdefault(client, []).append(stub_share)

    def end_round(self):
        self.rounds += 1

    def ratio(self, row):
        """The median of the rounds' ratios of the first client to the second; None if one of them has no value."""
        if len(self.clients) < 2:
            return None
        first, second = (self.values[row].get(client, {}) for client in self.clients[:2])
        ratios = [first[r] / second[r] for r in first if second.get(r)]
        return statistics.median(ratios) if ratios else None

    def cell(self, row, client):
        values = list(self.values[row].get(client, {}).values())
        if not values:
            return "-"
        shown = [f"{v:.{row.quantity.decimals}f}" for v in (statistics.median(values), min(values), max(values))]
        text = shown[0] if len(values) == 1 else f"{shown[0]} ({shown[1]} to {shown[2]})"
        limited = statistics.median(self.stub_shares[row][client]) > STUB_LIMITED
        return text + " †" if limited else text


def markdown(results, machine, rounds):
    both = len(results.clients) > 1
    about = f"Rounds: {rounds}. Medians (least to most)."
    if both:
        about += f" Ratios are {results.clients[0]} : {results.clients[1]}, medians of the rounds' ratios."
    about += f" †: the stub's core was more than {STUB_LIMITED:.0%} busy, so that the rate may be the stub's."
    lines = [about, ""]
    for title, quantities in TABLES.items():
        rows = [row for row in results.values if row.quantity in quantities]
        if not rows:
            continue
        header = ["workload", "", *(["ratio"] if both else []), *results.clients]
        lines += [f"### {title}", "", "| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
        for row in sorted(rows, key=lambda r: quantities.index(r.quantity)):
            ratio = results.ratio(row)
            cells = [row.workload, f"{row.quantity.name}, {row.quantity.unit}"]
            cells += ["-" if ratio is None else f"**{ratio:.2f}**"] if both else []
            cells += [results.cell(row, client) for client in results.clients]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    lines += [f"- {fact}" for fact in machine]
    lines.append(f"- load of the machine, 1 and 15 minutes, at the end: {load()}")
    return "\n".join(lines)


def machine(given):
    """What the numbers were measured on; taken before the measurement."""
    processors = Path("/proc/cpuinfo").read_text()
    model = next((line.partition(": ")[2] for line in processors.splitlines() if line.startswith("model name")), "?")
    memory = next(int(line.split()[1]) for line in Path("/proc/meminfo").read_text().splitlines() if "MemTotal" in line)
    facts = [
        f"{os.cpu_count()} processors ({model}), {memory / 1e6:.0f} GB, {platform.system()} {platform.release()}",
        f"runner: {version([given.java, '-version'])}, {given.java_options}",
    ]
    if given.harness:
        facts.append(f"Python harness: {version([given.harness_python, '--version'])}")
    facts.append(f"commit {version(['git', '-C', str(Path(__file__).parent), 'rev-parse', '--short', 'HEAD'])}")
    facts.append(f"load of the machine, 1 and 15 minutes, at the start: {load()}")
    return facts


def version(command):
    """The first line that a program prints about itself."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    words = (done.stdout or done.stderr).strip().splitlines()
    return words[0] if done.returncode == 0 and words else "unknown"


def load():
    one, _, fifteen = os.getloadavg()
    return f"{one:.1f} and {fifteen:.1f}"
