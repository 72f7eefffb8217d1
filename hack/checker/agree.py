#!/usr/bin/env python3
"""Holds `loadgen judge` against MLCommons' own submission checker.

    python3 hack/checker/agree.py CHECKOUT

CHECKOUT is a checkout of mlcommons/inference. A submission of llama3.1-8b in v6.1 is made from the logs of our tests, valid at
first and then with one fault at a time; both judge each. Prints a table, and ends with 1 if the checker rejects what we let pass, or
we reject the valid one.
Needs PyYAML, and bin/loadgen built. Compliance tests are valid in all of them.
"""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = ROOT / "rules/src/test/resources/dev/loadgen/rules/logs"
SCENARIOS = "closed/org/results/system/llama3.1-8b"
SCORES = (
    "{'rouge1': '38.7792', 'rouge2': '15.9075', 'rougeL': '24.4957', 'rougeLsum': '35.793',"
    " 'gen_len': 8167644, 'gen_num': 13368}\nhash=%s\n" % ("0" * 64)
)


def value(text, key, new):
    changed, count = re.subn(r'("key": "%s", "value": )[^,]*' % re.escape(key), r"\g<1>%s" % new, text)
    if not count:
        raise SystemExit("no key " + key)
    return changed


def answers():
    """An accuracy log of a hundred answers of three tokens, the last of which ends them."""
    tokens = [struct.pack("<3i", 10 + i, 7, 128009).hex().upper() for i in range(100)]
    return json.dumps(
        [
            {"seq_id": i, "qsl_idx": i, "data": data, "token_data": data[:8], "token_count": 3}
            for i, data in enumerate(tokens)
        ]
    )


class Tree:
    """A submission in a folder."""

    def __init__(self, folder, fields):
        self.root = pathlib.Path(folder)
        self.test("Server/performance/run_1", (LOGS / "v61-server.txt").read_text())
        self.test("Offline/performance/run_1", (LOGS / "v61-offline.txt").read_text())
        accuracy = (LOGS / "v61-accuracy.txt").read_text()
        self.test("Offline/accuracy", accuracy)
        for key, new in (
            ("effective_scenario", '"Server"'),
            ("generated_query_count", "13368"),
            ("generated_samples_per_query", "1"),
        ):
            accuracy = value(accuracy, key, new)
        self.test("Server/accuracy", accuracy)
        for scenario in ("Server", "Offline"):
            self.write(SCENARIOS + f"/{scenario}/user.conf", "*.Server.target_qps = 40\n")
            self.write(SCENARIOS + f"/{scenario}/README.md", "How to run it.\n")
            self.write(
                SCENARIOS + f"/{scenario}/measurements.json",
                json.dumps(
                    {
                        name: "none"
                        for name in (
                            "input_data_types",
                            "retraining",
                            "starting_weights_filename",
                            "weight_data_types",
                            "weight_transformations",
                        )
                    }
                ),
            )
            # The checker asks for the audit's files, and believes what they say.
            audit = SCENARIOS + f"/{scenario}/TEST06"
            self.write(
                audit + "/verify_accuracy.txt",
                "First token check pass: True\nEOS check pass: True\nSample length check pass: True\n"
                "TEST06 verification complete\n",
            )
            self.write(audit + "/accuracy/mlperf_log_accuracy.json", answers())
            detail = (LOGS / f"audit-test06-{scenario.lower()}.txt").read_text()
            for key, new in (
                ("effective_performance_sample_count", "13368"),
                ("qsl_reported_total_count", "13368"),
            ):
                detail = value(detail, key, new)
            self.test(f"{scenario}/TEST06/performance/run_1", detail)
        system = {name: "1" for name in fields}
        system.update(
            division="closed",
            submitter="org",
            status="available",
            system_type="datacenter",
            system_name="system",
            system_type_detail="server",
        )
        self.write("closed/org/systems/system.json", json.dumps(system))
        self.write("closed/org/src/README.md", "The code.\n")
        self.write("closed/org/documentation/calibration.md", "None.\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def test(self, folder, detail):
        folder = SCENARIOS + "/" + folder
        self.write(folder + "/mlperf_log_detail.txt", detail)
        if folder.endswith("accuracy"):
            self.write(folder + "/mlperf_log_summary.txt", "No errors encountered during test.\n")
            self.write(folder + "/accuracy.txt", SCORES)
            self.write(folder + "/mlperf_log_accuracy.json", "[\n{}\n]\n")
        else:
            self.write(
                folder + "/mlperf_log_summary.txt",
                "MLPerf Results Summary\nResult is : %s\n"
                % ("INVALID" if '"result_validity", "value": "INVALID"' in detail else "VALID"),
            )

    def file(self, path):
        return self.root / SCENARIOS / path

    def change(self, path, change):
        self.file(path).write_text(change(self.file(path).read_text()))


def key(folder, name, new):
    return lambda tree: tree.change(folder + "/mlperf_log_detail.txt", lambda text: value(text, name, new))


def text(path, old, new):
    def change(content):
        if old not in content:
            raise SystemExit("no " + old)
        return content.replace(old, new)

    return lambda tree: tree.change(path, change)


def delete(path):
    def do(tree):
        file = tree.file(path)
        shutil.rmtree(file) if file.is_dir() else file.unlink()

    return do


def rename(old, new):
    return lambda tree: tree.file(old).rename(tree.file(new))


def both(*faults):
    return lambda tree: [fault(tree) for fault in faults]


SERVER = "Server/performance/run_1"
OFFLINE = "Offline/performance/run_1"
FAULTS = {
    "nothing": lambda tree: None,
    "LoadGen says INVALID": both(
        key(SERVER, "result_validity", '"INVALID"'),
        text(SERVER + "/mlperf_log_summary.txt", "VALID", "INVALID"),
    ),
    "errors in a performance log": key(SERVER, "num_errors", "3"),
    "an error in an accuracy log": lambda tree: tree.change(
        "Offline/accuracy/mlperf_log_detail.txt",
        lambda log: log.replace('"is_error": false', '"is_error": true', 1),
    ),
    "samples are not issued equally often": key(SERVER, "effective_sample_concatenate_permutation", "false"),
    "another qsl seed": key(SERVER, "effective_qsl_rng_seed", "1"),
    "another sample index seed": key(OFFLINE, "effective_sample_index_rng_seed", "1"),
    "another schedule seed": key(SERVER, "effective_schedule_rng_seed", "1"),
    "a smaller performance set": key(SERVER, "effective_performance_sample_count", "13367"),
    "a shorter least duration": key(SERVER, "effective_min_duration_ms", "599999"),
    "too few Offline samples": key(OFFLINE, "effective_samples_per_query", "13367"),
    "TTFT at the limit": key(SERVER, "result_first_token_99.00_percentile_latency_ns", "2000000000"),
    "TPOT at the limit": key(SERVER, "result_time_per_output_token_99.00_percentile_ns", "100000000"),
    "a looser TTFT limit in LoadGen": key(SERVER, "requested_server_ttft_latency", "2001000000"),
    "a lower percentile in LoadGen": key(SERVER, "effective_target_latency_percentile", "0.9"),
    "early stopping not met": key(SERVER, "early_stopping_met", "false"),
    "unique samples without an audit": key(SERVER, "effective_performance_issue_unique", "true"),
    "the same sample without an audit": key(OFFLINE, "effective_performance_issue_same", "true"),
    "another scenario in the log": key(SERVER, "effective_scenario", '"Offline"'),
    "half a log": lambda tree: tree.change(
        SERVER + "/mlperf_log_detail.txt", lambda log: log[: len(log) // 2]
    ),
    "two logs in one": lambda tree: tree.change(SERVER + "/mlperf_log_detail.txt", lambda log: log + log),
    "no summary of a performance test": delete(SERVER + "/mlperf_log_summary.txt"),
    "no summary of an accuracy test": delete("Server/accuracy/mlperf_log_summary.txt"),
    "a ROUGE score below its bound": text("Offline/accuracy/accuracy.txt", "38.7792", "38.39"),
    "answers that are too long": text("Server/accuracy/accuracy.txt", "8167644", "8984409"),
    "a score is missing": text("Server/accuracy/accuracy.txt", "'rouge2'", "'rouge3'"),
    "no accuracy.txt": delete("Offline/accuracy/accuracy.txt"),
    "no answers": delete("Offline/accuracy/mlperf_log_accuracy.json"),
    "no accuracy test": delete("Server/accuracy"),
    "no performance test": delete("Offline/performance"),
    "no Offline": delete("Offline"),
    "neither Server nor Interactive": delete("Server"),
    "no compliance test": delete("Server/TEST06"),
    "tokens after the end in an audit": lambda tree: tree.change(
        "Server/TEST06/accuracy/mlperf_log_accuracy.json",
        lambda log: log.replace(struct.pack("<i", 7).hex().upper(), struct.pack("<i", 128009).hex().upper()),
    ),
    "a performance log in place of an audit's": lambda tree: tree.change(
        "Server/TEST06/performance/run_1/mlperf_log_detail.txt",
        lambda log: (LOGS / "v61-server.txt").read_text(),
    ),
    "a scenario in lower case": rename("Server", "server"),
    "Server's limits under the name of Interactive": rename("Server", "Interactive"),
}


def official(checkout, tree):
    """Whether the checker lets the submission pass."""
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "submission_checker.main",
            "--input",
            str(tree.root),
            "--version",
            "v6.1",
            "--csv",
            str(tree.root.parent / "summary.csv"),
        ],
        cwd=checkout / "tools/submission",
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode == 0, run.stdout + run.stderr


def ours(tree):
    """Whether we do, and the rules that it breaks."""
    run = subprocess.run(
        [
            os.environ.get("LOADGEN", str(ROOT / "bin/loadgen")),
            "judge",
            str(tree.root),
            "--ruleset",
            "v6.1",
            "--accept-claimed-scores",
            "--output",
            "json",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    document = json.loads(run.stdout)
    rules = {
        reason["rule"]
        for part in document["tests"] + document["submissions"]
        for reason in part["reasons"]
    }
    rules |= {"unreadable" for test in document["tests"] if "problem" in test}
    return run.returncode == 0, rules


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    checkout = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(checkout / "tools/submission"))
    from submission_checker.constants import SYSTEM_DESC_REQUIRED_FIELDS

    wrong = 0
    print("| fault | submission checker | loadgen judge | rules |")
    print("| --- | --- | --- | --- |")
    for name, fault in FAULTS.items():
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(os.path.join(folder, "tree"), SYSTEM_DESC_REQUIRED_FIELDS)
            fault(tree)
            lets_pass, said = official(checkout, tree)
            if name == "nothing" and not lets_pass:
                print(said, file=sys.stderr)
            we, rules = (None, set()) if os.environ.get("CHECKER_ALONE") else ours(tree)
        words = {True: "passes", False: "rejected", None: "-"}
        print(f"| {name} | {words[lets_pass]} | {words[we]} | {', '.join(sorted(rules))} |", flush=True)
        wrong += (we is True and not lets_pass) or (we is False and name == "nothing")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
