#!/usr/bin/env python3
"""Holds `loadgen judge` against MLCommons' own submission checker.

    python3 hack/checker/agree.py CHECKOUT
    python3 hack/checker/agree.py CHECKOUT --published TREE ROUND

CHECKOUT is a clone of mlcommons/inference with its tags. The first form lets the tests of the judge write their submissions, each
valid but for one thing, of every benchmark in every round, and the checker judge them too. It prints a table of both, and ends
with 1 if the checker rejects what the judge lets pass, if either rejects what is to be accepted, or if the checker has a check
that docs/submission-checker.md does not name.
The second form lets both judge a submission tree that somebody has published, such as a checkout of
mlcommons/inference_results_v5.1, and prints the scenarios of which they do not say the same.
Needs PyYAML; the first form Maven, the second bin/loadgen built.
"""

import collections
import concurrent.futures
import contextlib
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/submission-checker.md"
# Rounds whose own submission checker is no longer in the tree, and the tag that has it.
OLD = {"v5.1": "v5.1.1"}
OWN_CHECKER = "tools/submission/of-old-rounds"
MEASUREMENTS = (
    "input_data_types",
    "retraining",
    "starting_weights_filename",
    "weight_data_types",
    "weight_transformations",
)


def write(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def paperwork(tree, version, constants):
    """What a submission has besides its logs, and the judge does not look at."""
    old = version in OLD
    for submitter in tree.glob("*/*"):
        division = submitter.parent.name
        system = {name: "1" for name in constants.SYSTEM_DESC_REQUIRED_FIELDS}
        system.update(
            division=division,
            submitter=submitter.name,
            status="available",
            system_type="datacenter",
            system_name="system",
            system_type_detail="server",
        )
        if division == "network":
            system.update({name: "1" for name in constants.SYSTEM_DESC_REQUIRED_FIELDS_NETWORK_MODE})
            system["is_network"] = "True"
        write(submitter / "systems/system.json", json.dumps(system))
        write(submitter / "documentation/calibration.md", "None.\n")
        for benchmark in submitter.glob("results/system/*"):
            write(submitter / ("code" if old else "src") / benchmark.name / "README.md", "The code.\n")
        for scenario in submitter.glob("results/system/*/*"):
            folder = submitter / "measurements" / scenario.relative_to(submitter / "results") if old else scenario
            write(folder / "user.conf", "*.Server.target_qps = 40\n")
            write(folder / "README.md", "How to run it.\n")
            write(
                folder / ("system.json" if old else "measurements.json"),
                json.dumps({name: "none" for name in MEASUREMENTS}),
            )


def official(checkout, tree, version):
    """What the checker says of a submission: whether it takes it, its results, and all that it prints."""
    verdicts = [run(checkout / "tools/submission", ["-m", "submission_checker.main"], tree, version)]
    if version in OLD:
        # The checker that the round used is another one.
        verdicts.append(run(checkout / OWN_CHECKER, ["submission_checker.py"], tree, version))
    return (
        all(passes for passes, _, _ in verdicts),
        verdicts[-1][1],
        "".join(said for _, _, said in verdicts),
    )


def run(folder, program, tree, version):
    with tempfile.TemporaryDirectory() as results:
        summary = pathlib.Path(results) / "summary.csv"
        done = subprocess.run(
            [sys.executable, *program, "--input", str(tree), "--version", version, "--csv", str(summary)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        rows = list(csv.DictReader(summary.open())) if summary.exists() else []
    # An empty tree is no error to it either.
    return done.returncode == 0 and bool(rows), rows, done.stdout + done.stderr


@contextlib.contextmanager
def with_old_checkers(checkout):
    """Has the checker of each old round in a folder of the checkout while it lasts."""
    folder = checkout / OWN_CHECKER
    for tag in OLD.values():
        files = git(checkout, "ls-tree", "-r", "--name-only", tag, "tools/submission").splitlines()
        for file in files:
            if file.endswith((".py", ".json")) and "directory_structure" not in file:
                path = folder / pathlib.Path(file).relative_to("tools/submission")
                write(path, git(checkout, "show", f"{tag}:{file}"))
    try:
        yield
    finally:
        shutil.rmtree(folder)


def git(checkout, *arguments):
    return subprocess.run(
        ["git", "-C", str(checkout), *arguments], capture_output=True, text=True, check=True
    ).stdout


def made(folder):
    """Lets the tests of the judge write their submissions."""
    subprocess.run(
        ["mvn", "-B", "-ntp", "-q", "-Pquick", "-f", str(ROOT), "-pl", "rules", "-am", "test"]
        + ["-Dtest=BrokenSubmissionsTest,AcceptedSubmissionsTest"]
        + ["-Dsurefire.failIfNoSpecifiedTests=false", f"-Dsubmissions.out={folder}"],
        stdout=sys.stderr,
        check=True,
    )


def compare(checkout, constants, cases):
    """Prints a table of all cases; returns how many are wrong."""

    def judge(case):
        tree = case.parent / "tree"
        version = case.parents[2].name
        paperwork(tree, version, constants)
        return case, official(checkout, tree, version)

    by_title = collections.defaultdict(list)
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, (passes, _, said) in pool.map(judge, cases):
            found = json.loads(case.read_text())
            ours = not found["broken"]
            of = f"{case.parents[1].name} {case.parents[2].name}"
            by_title[(found["rule"], found["title"])].append((of, passes, found["broken"]))
            if (ours and not passes) or ours != (not found["rule"]):
                wrong += 1
                print(f"{found['title']}, {of}: checker {passes}, judge {found['broken']}", file=sys.stderr)
                print("\n".join(line for line in said.splitlines() if "ERROR" in line), file=sys.stderr)
    print("| submission | of | submission checker | loadgen judge | rules |")
    print("| --- | --- | --- | --- | --- |")
    every = {of for seen in by_title.values() for of, _, _ in seen}
    for (_, title), seen in sorted(by_title.items(), key=lambda item: (bool(item[0][0]), item[0][1])):
        rules = sorted({rule for _, _, broken in seen for rule in broken})
        print(
            f"| {title} | {scope(sorted(of for of, _, _ in seen), every)}"
            f" | {words({of: passes for of, passes, _ in seen})}"
            f" | {words({of: not broken for of, _, broken in seen})} | {', '.join(rules)} |"
        )
    return wrong


def scope(seen, every):
    if set(seen) == every:
        return "all"
    benchmarks = {of.split()[0] for of in seen}
    whole = {of for of in every if of.split()[0] in benchmarks}
    return ", ".join(sorted(benchmarks) if set(seen) == whole else seen)


def words(passes):
    said = {True: "passes", False: "rejected"}
    if len(set(passes.values())) == 1:
        return said[next(iter(passes.values()))]
    return "; ".join(f"{of} {said[each]}" for of, each in sorted(passes.items()))


def published(checkout, tree, version):
    """Prints where both differ on a published tree; returns how many scenarios there are."""
    _, rows, _ = run(checkout / "tools/submission", ["-m", "submission_checker.main"], tree, version)
    taken = {pathlib.Path(row["Location"]).relative_to(tree).parents[1] for row in rows}
    ours = subprocess.run(
        [os.environ.get("LOADGEN", str(ROOT / "bin/loadgen")), "judge", str(tree)]
        + ["--ruleset", version, "--accept-claimed-scores", "--output", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    document = json.loads(ours.stdout)
    reasons = collections.defaultdict(list)
    for part in document["tests"] + document["submissions"]:
        # A note leaves a test as valid as it is.
        said = [f"{reason['rule']}: {reason['message']}" for reason in part["reasons"] if reason["effect"] != "Valid"]
        if "problem" in part:
            said.append(part["problem"])
        for scenario in taken:
            if below(part["folder"], scenario):
                reasons[scenario] += said
    for scenario in sorted(taken):
        for reason in reasons[scenario]:
            print(f"{scenario}\n  {reason}")
    agreed = sum(not reasons[scenario] for scenario in taken)
    print(f"{len(taken)} scenarios are accepted by the submission checker, {agreed} of them are Valid here")


def below(folder, scenario):
    """Whether a folder is of a scenario, or of all scenarios of its benchmark."""
    parts = pathlib.Path(folder.replace("/compliance/", "/results/")).parts
    return parts[: len(scenario.parts)] == scenario.parts or parts == scenario.parts[:-1]


def unnamed(checkout):
    """The checks that the page about the checker does not name, each with its file."""
    page = PAGE.read_text()
    missing = []
    for file in sorted((checkout / "tools/submission/submission_checker/checks").glob("*.py")):
        if f"`{file.name}`" not in page:
            checks = re.findall(r"self\.checks\.append\(self\.(\w+)\)", file.read_text())
            missing += [f"{file.name}: {name}" for name in checks if f"`{name}`" not in page]
    for tag in OLD.values():
        functions = re.findall(
            r"^def ((?:extra_)?check_\w+)", git(checkout, "show", f"{tag}:tools/submission/submission_checker.py"), re.M
        )
        missing += [f"{tag}: {name}" for name in functions if f"`{name}`" not in page]
    return missing


def main():
    arguments = sys.argv[1:]
    if len(arguments) not in (1, 4) or (len(arguments) == 4 and arguments[1] != "--published"):
        raise SystemExit(__doc__)
    checkout = pathlib.Path(arguments[0]).resolve()
    sys.path.insert(0, str(checkout / "tools/submission"))
    from submission_checker import constants

    if len(arguments) == 4:
        published(checkout, pathlib.Path(arguments[2]).resolve(), arguments[3])
        return
    missing = unnamed(checkout)
    if missing:
        raise SystemExit(f"{PAGE} does not name\n" + "\n".join(missing))
    with tempfile.TemporaryDirectory() as folder, with_old_checkers(checkout):
        made(folder)
        cases = sorted(pathlib.Path(folder).glob("*/*/*/case.json"))
        if not cases:
            raise SystemExit("the tests wrote no submission")
        raise SystemExit(1 if compare(checkout, constants, cases) else 0)


if __name__ == "__main__":
    main()
