"""python3 -B -m unittest discover -s hack/benchmark"""

import contextlib
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import benchmark
import cases
import report
import search
import stamping
import window
from clients import Client, Control, Figures, Harness, Runner, RustClient, VllmBench, loadgen_figures
from measure import Bench, MeasurementError
from results import Quantity, Results, Target
from stamping import Stamps, UnmatchedError
from window import Sample
from workloads import BATCHED, FLUSHED, JOINED, MODEL, PACED, PLAIN, PROMPTS, SUSTAINED, dataset, prompt_key


def figures(**changed):
    ttft = {"mean": 52, 50: 51, 90: 60, 99: 90}
    values = {"samples": 800, "rate": 92.2, "scheduled": 100, "ttft_ms": ttft, "tpot_p99_ms": 10, "errors": 0}
    return Figures(**(values | changed))


class SearchTest(unittest.TestCase):
    def search(self, limit, start, **how):
        tried = []

        def holds(rate):
            tried.append(rate)
            return rate if rate <= limit else None

        return search.highest(holds, start, how.pop("step", 1.5), how.pop("refinements", 3), **how), tried

    def test_comes_within_the_last_gap_of_the_limit_from_below_and_from_above(self):
        for start in (10, 5000):
            (rate, best), _ = self.search(737, start)

            self.assertLessEqual(rate, 737)
            self.assertGreater(rate, 737 / 1.5 ** (1 / 8) - 0.01)
            self.assertEqual(best, rate)

    def test_stops_at_the_cap(self):
        (rate, _), tried = self.search(1000, 40, cap=100)

        self.assertEqual(rate, 100)
        self.assertEqual(max(tried), 100)

    def test_finds_nothing_when_nothing_holds(self):
        self.assertEqual(self.search(0, 100)[0], (None, None))


class SustainsTest(unittest.TestCase):
    def test_a_run_on_schedule_is_sustained(self):
        self.assertTrue(search.sustains(SUSTAINED, figures()))

    def test_late_first_tokens_errors_and_a_late_end_are_not(self):
        self.assertFalse(search.sustains(SUSTAINED, figures(ttft_ms={50: 51, 90: 301, 99: 400})))
        self.assertFalse(search.sustains(SUSTAINED, figures(errors=1)))
        self.assertFalse(search.sustains(SUSTAINED, figures(rate=80)))
        self.assertFalse(search.sustains(SUSTAINED, None))


class LoadGenFiguresTest(unittest.TestCase):
    def read(self, lines):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mlperf_log_detail.txt").write_text("\n".join(lines))
            return loadgen_figures(Path(folder))

    @staticmethod
    def line(key, value, error=False):
        return ":::MLLOG " + json.dumps({"key": key, "value": value, "metadata": {"is_error": error}})

    def test_reads_a_server_log_and_counts_its_errors(self):
        read = self.read(
            [
                self.line("effective_scenario", "Server"),
                self.line("effective_samples_per_query", 1),
                self.line("error_runtime", "a", error=True),
                self.line("result_query_count", 7),
                self.line("result_completed_samples_per_sec", 3.5),
                self.line("result_scheduled_samples_per_sec", 4),
                *(self.line(f"result_first_token_{p}.00_percentile_latency_ns", p * 1_000_000) for p in (50, 90, 99)),
                self.line("result_first_token_mean_latency_ns", 55_000_000),
                self.line("result_time_per_output_token_99.00_percentile_ns", 11_000_000),
            ]
        )

        self.assertEqual(read, Figures(7, 3.5, 1, 4, {50: 50, 90: 90, 99: 99, "mean": 55}, 11))
        self.assertEqual(read.seconds, 2)

    def test_reads_an_offline_log(self):
        read = self.read(
            [
                self.line("effective_scenario", "Offline"),
                self.line("effective_samples_per_query", 220),
                self.line("result_query_count", 1),
                self.line("result_samples_per_second", 110),
            ]
        )

        self.assertEqual(read, Figures(220, 110, 0))

    def test_a_log_that_was_cut_off_has_no_figures(self):
        self.assertIsNone(self.read([self.line("effective_scenario", "Server"), ':::MLLOG {"key": "resu']))


class ClientsTest(unittest.TestCase):
    def command(self, client, workload):
        with tempfile.TemporaryDirectory() as folder:
            return client.command(workload, "http://u:1", Path("/d.json"), Path(folder))

    def option(self, words, name):
        return words[words.index(name) + 1]

    def test_all_clients_are_asked_for_the_same_rate_and_number(self):
        workload = PACED.at(rate=123, seconds=4)
        plan = Runner.plan(workload, "http://127.0.0.1:1", Path("/data/dataset.json"))["test"]
        conf = dict(line.split(" = ") for line in Harness.user_conf(workload).splitlines())
        control = self.command(Control("control"), workload)

        self.assertEqual((plan["targetQps"], plan["minDurationMs"], plan["minQueryCount"]), (123, 4000, 2))
        self.assertEqual(
            [conf[f"{MODEL}.Server.{key}"] for key in ("target_qps", "min_duration", "min_query_count")],
            ["123", "4000", "2"],
        )
        self.assertEqual((self.option(control, "-rate"), self.option(control, "-seconds")), ("123", "4"))
        for rival in (VllmBench(Path("/r")), RustClient(Path("/r"))):
            words = self.command(rival, workload)
            self.assertEqual((self.option(words, "--request-rate"), self.option(words, "--num-prompts")), ("123", "492"))

    def test_all_clients_have_the_same_bound_of_requests(self):
        workload = FLUSHED.of(900)
        plan = Runner.plan(workload, "http://127.0.0.1:1", Path("/data/dataset.json"))
        control = self.command(Control("control"), workload)

        self.assertEqual((plan["client"]["maxConcurrency"], plan["test"]["minQueryCount"]), (64, 900))
        self.assertEqual((self.option(control, "-in-flight"), self.option(control, "-requests")), ("64", "900"))
        for rival in (VllmBench(Path("/r")), RustClient(Path("/r"))):
            words = self.command(rival, workload)
            self.assertEqual((self.option(words, "--max-concurrency"), self.option(words, "--num-prompts")), ("64", "900"))

    def test_the_harness_takes_a_bound_of_requests_only_where_it_sends_one_sample_each(self):
        harness = Harness("python", "/harness")

        self.assertIn("--offline-back-to-back", self.command(harness, PLAIN.of(9)))
        self.assertNotIn("--offline-back-to-back", self.command(harness, BATCHED.of(9)))

    def test_the_runner_is_given_its_transport_and_the_options_of_a_case(self):
        runner = Runner("java", "cp", ["-Xa"], "runner, OkHttp", "okhttp").having("-Xb")

        words = self.command(runner, JOINED)

        self.assertEqual([word for word in words if word.startswith(("-X", "-D"))], ["-Xa", "-Xb", "-Dloadgen.transport=okhttp"])
        self.assertEqual(runner.name, "runner, OkHttp")

    def test_the_runners_stamps_are_times_of_the_machines_clock(self):
        with tempfile.TemporaryDirectory() as name:
            results = Path(name, "results", "benchmark", "1")
            results.mkdir(parents=True)
            (results / "environment.json").write_text('{"firstIssueNanoTime": 5000000000}')
            with gzip.open(results / "requests.csv.gz", "wt") as table:
                table.write("sample,replica,issued_ms,started_ms,first_token_ms,ended_ms,output_tokens,finish_reason,failure,message\n")
                table.write('3,stub,0.000,0.125,50.500,90.000,64,length,,\n4,stub,1.000,1.100,,2.000,0,,BROKEN,"a, b"\n')

            stamps = Runner("java", "cp", []).stamps(Path(name))

        self.assertEqual(stamps, [Stamps(prompt_key(3), 5_000_125_000, 5_050_500_000, 5_090_000_000)])

    def test_a_run_on_another_transport_is_found_out(self):
        with tempfile.TemporaryDirectory() as name:
            results = Path(name, "results", "benchmark", "1")
            results.mkdir(parents=True)
            (results / "summary.json").write_text('{"verdict": "Invalid", "verdictReasons": [{"rule": "A"}], "result": {"failed": 2}}')
            (results / "environment.json").write_text('{"transport": {"kind": "EVENT_LOOP"}}')

            notes = Runner("java", "cp", [], transport="eventloop").notes(Path(name))
            with self.assertRaisesRegex(ValueError, "EVENT_LOOP, not okhttp"):
                Runner("java", "cp", [], transport="okhttp").notes(Path(name))

        self.assertEqual((notes["verdict"], notes["rules"], notes["failed"]), ("Invalid", ["A"], 2))

    def test_a_client_that_left_nothing_has_no_figures(self):
        with tempfile.TemporaryDirectory() as folder:
            for client in (Runner("j", "c", []), Harness("p", "/h"), Control("c"), VllmBench(Path("/r")), RustClient(Path("/r"))):
                self.assertIsNone(client.figures(Path(folder)), client.name)


class DatasetTest(unittest.TestCase):
    def test_a_row_is_known_by_its_first_token(self):
        rows = dataset()

        self.assertEqual([row["input_tokens"][0] for row in rows], [prompt_key(i) for i in range(PROMPTS)])
        self.assertEqual(len({prompt_key(i) for i in range(PROMPTS)}), PROMPTS)
        self.assertTrue(rows[7]["text_input"].startswith(f"w{prompt_key(7)} "))


class WindowTest(unittest.TestCase):
    def test_is_the_middle_by_events(self):
        samples = [Sample(s, completed=10 * s, events=640 * s, stub_cpu_s=s / 2, client_cpu_s=5 + s / 4) for s in range(101)]

        middle = window.steady(samples)

        self.assertEqual((middle.seconds, middle.rate), (80, 10))
        self.assertEqual((middle.stub_share, middle.client_share), (0.5, 0.25))
        self.assertAlmostEqual(middle.cpu_us_per_event, 0.25 / 640 * 1e6)
        self.assertAlmostEqual(middle.cpu_ms_per_request, 25)

    def test_without_streams_it_goes_by_answers(self):
        samples = [Sample(s, completed=10 * s, events=0, stub_cpu_s=0, client_cpu_s=s) for s in range(101)]

        self.assertEqual(window.steady(samples).completed, 800)
        self.assertIsNone(window.steady(samples).cpu_us_per_event)

    def test_leaves_out_what_comes_before_and_after_a_test(self):
        idle = [Sample(s, 1, 64, 0, 50 + s) for s in range(20)]
        busy = [Sample(20 + s, 100 * s, 6400 * s, 0, 70 + s / 2) for s in range(1, 11)]
        report_writing = [Sample(31 + s, 1000, 64000, 0, 75 + s) for s in range(9)]

        self.assertEqual(window.steady(idle + busy + report_writing).client_share, 0.5)

    def test_a_run_that_was_too_short_has_none(self):
        self.assertIsNone(window.steady([]))
        self.assertIsNone(window.steady([Sample(0, 0, 0, 0, 0), Sample(0.1, 5, 320, 0, 0)]))


class StampingTest(unittest.TestCase):
    def test_delays_are_of_the_same_request(self):
        sends = [Stamps(7, 1_000_000, 50_000_000, 90_000_000), Stamps(9, 2_000_000, 60_000_000, 95_000_000)]
        stamps = [Stamps(9, 1_900_000, 60_500_000, 95_000_000), Stamps(7, 900_000, 50_250_000, 91_000_000)]

        self.assertEqual(stamping.delays_ms(sends, stamps), [0.25, 0.5, 1.0, 0.0])

    def test_a_prompt_that_comes_again_is_matched_by_the_order_of_times(self):
        sends = [Stamps(7, t, t + 50_000_000, t + 60_000_000) for t in (30_000_000, 10_000_000, 20_000_000)]
        stamps = [Stamps(7, t - 1000, t + 50_100_000, t + 60_100_000) for t in (20_000_000, 30_000_000, 10_000_000)]

        self.assertEqual(stamping.delays_ms(sends, stamps), [0.1] * 6)

    def test_requests_that_overtake_each_other_on_their_way_have_no_negative_delay(self):
        sends = [Stamps(7, 2_000_000, 52_000_000, 92_000_000), Stamps(7, 1_000_000, 51_000_000, 91_000_000)]
        # The one that was begun first arrived last.
        stamps = [Stamps(7, 900_000, 52_100_000, 92_100_000), Stamps(7, 950_000, 51_100_000, 91_100_000)]

        self.assertEqual(stamping.delays_ms(sends, stamps), [0.1] * 4)

    def test_what_a_client_asked_before_its_test_is_left_out(self):
        sends = [Stamps(7, 1_000_000, 2_000_000, 3_000_000), Stamps(7, 11_000_000, 12_000_000, 13_000_000)]

        self.assertEqual(stamping.delays_ms(sends, [Stamps(7, 10_000_000, 12_500_000, 13_500_000)]), [0.5, 0.5])

    def test_stamps_of_other_requests_and_of_another_clock_are_refused(self):
        sends = [Stamps(7, 1_000_000, 50_000_000, 90_000_000)]

        for stamps in (
            [],
            [Stamps(8, 900_000, 50_000_000, 90_000_000)],
            [Stamps(7, 900_000, 50_000_000, 90_000_000)] * 2,
            [Stamps(7, 900_000, 40_000_000, 90_000_000)],
        ):
            with self.assertRaises(UnmatchedError):
                stamping.delays_ms(sends, stamps)

    def test_percentiles_are_nearest_ranks(self):
        self.assertEqual([stamping.percentile(range(1, 201), p) for p in (50, 99)], [100, 198])
        self.assertEqual(stamping.percentile([3], 99), 3)


RATE = Quantity("rate", "requests/s", 0)


def results(**clients):
    """One value a round for each client, in the case `c`."""
    made = Results()
    for number in range(max(map(len, clients.values()))):
        for client, values in clients.items():
            if number < len(values):
                made.add("c", client, RATE, values[number])
        made.round += 1
    return made


class TargetsTest(unittest.TestCase):
    case = cases.Case("c", "A case", ("a", "b"), None, None)

    def target(self, bound, at_least=True, always=False):
        if always:
            return Target("c", "rate", ("a",), bound, at_least, lambda r: list(r.of("c", "a", RATE).values()), True)
        return Target("c", "rate, a : b", ("a", "b"), bound, at_least, lambda r: r.ratios("c", RATE, "a", "b"))

    def shown(self, results, target, missing=None):
        return report.markdown(results, [self.case], [target], missing or {}, [], results.round - 1)

    def test_a_ratio_is_the_median_of_the_rounds_and_not_of_the_values(self):
        text, missed = self.shown(results(a=[10, 20, 90], b=[5, 5, 30]), self.target(3))

        self.assertIn("| 3.00 (2.00 to 4.00) | at least 3 | met |", text)
        self.assertFalse(missed)

    def test_a_target_is_missed_below_its_bound_or_above_it(self):
        measured = results(a=[10], b=[5])

        self.assertTrue(self.shown(measured, self.target(2.01))[1])
        self.assertTrue(self.shown(measured, self.target(1.99, at_least=False))[1])
        self.assertFalse(self.shown(measured, self.target(2))[1])

    def test_what_must_always_hold_is_held_against_the_worst_round(self):
        text, missed = self.shown(results(a=[0, 0, 7]), self.target(0, at_least=False, always=True))

        self.assertTrue(missed)
        self.assertIn("worst 7.00", text)

    def test_a_target_that_wants_more_cores_is_not_measured(self):
        many = Target("c", "rate", ("a",), 1, True, lambda r: [], cores=len(os.sched_getaffinity(0)) + 1)

        text, missed = self.shown(results(a=[10]), many)

        self.assertIn(f"| - | at least 1 | not measured: {many.cores} cores are needed |", text)
        self.assertFalse(missed)

    def test_a_client_that_is_not_installed_is_named(self):
        text, missed = self.shown(results(a=[10]), self.target(2), {"b": "not there; setup.sh installs it"})

        self.assertIn("| - | at least 2 | not measured: b |", text)
        self.assertIn("- b: not there; setup.sh installs it", text)
        self.assertFalse(missed)

    def test_a_client_that_failed_is_named_and_its_target_is_not_met(self):
        measured = results(a=[10])
        measured.fail("c", "b", "ended with status 1")

        text, _ = self.shown(measured, self.target(2))

        self.assertIn("**failed**", text)
        self.assertIn("c, b: ended with status 1", text)

    def test_a_rate_that_may_be_the_stubs_is_marked(self):
        measured = Results()
        measured.add("c", "a", RATE, 700, stub_share=0.95)

        self.assertIn("| a | 700 † |", self.shown(measured, self.target(1))[0])

    def test_every_target_is_of_a_case_and_of_clients_that_take_part_in_it(self):
        by_name = {case.name: case for case in cases.CASES}
        for target in cases.TARGETS:
            self.assertLessEqual(set(target.clients), set(by_name[target.case].clients), target.text)

    def test_no_target_holds_when_nothing_was_measured(self):
        for target in cases.TARGETS:
            self.assertIsNone(target.judged(Results()), target.text)


class IntoTest(unittest.TestCase):
    def test_replaces_what_is_between_the_marks_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text(f"before\n\n{report.BEGIN}\nold\n{report.END}\n\nafter\n")

            report.into(page, "new")
            report.into(page, "newer")

            self.assertEqual(page.read_text(), f"before\n\n{report.BEGIN}\n\nnewer\n\n{report.END}\n\nafter\n")

    def test_a_page_without_the_marks_is_refused_before_anything_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text("no marks")

            with self.assertRaisesRegex(ValueError, "page.md: .*benchmark: begin"):
                report.parts(page)


class ArgumentsTest(unittest.TestCase):
    def parse(self, *words):
        required = ["--stub", "s", "--control", "c", "--java", "j", "--class-path", "cp", "--rivals", "/none", "--records", "r"]
        with mock.patch.object(sys, "argv", ["benchmark.py", *required, *words]), contextlib.redirect_stderr(io.StringIO()) as said:
            try:
                return benchmark.arguments(), ""
            except SystemExit:
                return None, said.getvalue()

    def test_by_default_all_clients_and_all_cases_with_a_target_are_measured(self):
        given, _ = self.parse()

        self.assertEqual(set(given.clients), set(cases.CLIENTS))
        self.assertEqual({target.case for target in cases.TARGETS}, set(given.cases))

    def test_an_unknown_case_or_client_is_refused_with_the_choice(self):
        self.assertIn("--cases sustained,x: choose from sustained, paced", self.parse("--cases", "sustained,x")[1])
        self.assertIn("--clients y: choose from runner, okhttp", self.parse("--clients", "y")[1])

    def test_a_rival_that_is_not_installed_is_missing_with_the_cure(self):
        given, _ = self.parse("--clients", "runner,vllm,harness")

        found, missing = benchmark.available(given)

        self.assertEqual(set(found), {cases.RUNNER, cases.BINDING})
        self.assertIn("hack/real-servers/setup.sh", missing[cases.VLLM])
        self.assertIn("--harness", missing[cases.HARNESS])
        self.assertEqual(missing[cases.RUST], "not among --clients")


class ProgressTest(unittest.TestCase):
    def test_what_is_left_follows_the_speed_so_far(self):
        now = [0.0]
        progress = benchmark.Progress(1200, clock=lambda: now[0])
        self.assertEqual(progress.left(), "about 20 min left")

        now[0] = 600  # twice as slow as planned
        progress.end(300)

        self.assertEqual(progress.left(), "about 30 min left")


@unittest.skipUnless(hasattr(os, "sched_getaffinity"), "the benchmark needs Linux")
class SmokeTest(unittest.TestCase):
    """The bench, the stub and the control together. The runner and the rivals are left to run.sh --quick."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        here = Path(__file__).parent
        for program in ("stub", "control"):
            subprocess.run(["go", "build", "-o", f"{cls.folder.name}/{program}", f"./{program}"], cwd=here, check=True)

    def bench(self):
        cores = sorted(os.sched_getaffinity(0))
        return Bench(f"{self.folder.name}/stub", cores[0], cores[-1])

    def control(self):
        return Control(f"{self.folder.name}/control")

    def test_a_paced_run_is_measured_from_all_sides(self):
        with self.bench() as bench:
            measured = bench.run(self.control(), PACED.at(rate=100, seconds=3), stamped=True)

            self.assertTrue(bench.scratch.exists())
        self.assertFalse(bench.scratch.exists())
        self.assertGreater(measured.figures.samples, 200)
        self.assertEqual(measured.figures.errors, 0)
        self.assertGreaterEqual(measured.figures.ttft_ms["mean"], PACED.ttft_ms)
        self.assertGreaterEqual(measured.stamped.ttft_mean, PACED.ttft_ms)
        self.assertGreater(measured.stamped.count, 300)
        self.assertGreater(measured.stamped.delay_p99, 0)
        self.assertLess(measured.stamped.delay_mean, 1000)
        self.assertGreater(measured.window.rate, 0)
        self.assertGreater(measured.window.cpu_us_per_event, 0)
        self.assertGreater(measured.max_in_flight, 5)
        self.assertGreater(measured.descriptors, 5)
        self.assertGreater(measured.rss_mb, 1)

    def test_a_closed_loop_keeps_its_bound(self):
        with self.bench() as bench:
            measured = bench.run(self.control(), FLUSHED.of(2000))

        self.assertEqual(measured.figures.samples, 2000)
        self.assertLessEqual(measured.max_in_flight, 64)

    def test_a_client_that_runs_out_of_descriptors_fails_and_its_output_is_kept(self):
        with self.bench() as bench, self.assertRaisesRegex(MeasurementError, "Go control.*ended with status 1") as failed:
            bench.run(self.control(), FLUSHED.of(200), open_files=20)

        self.addCleanup(shutil.rmtree, bench.scratch)
        log = Path(str(failed.exception).rpartition(" ")[2], "client.log")
        self.assertIn("too many open files", log.read_text())

    def test_a_client_that_hangs_is_ended_and_has_no_measurement(self):
        class Sleeping(Client):
            name = "sleeping"

            def command(self, workload, url, dataset, folder):
                return ["sleep", "60"]

        begun = time.monotonic()
        with self.bench() as bench:
            self.assertIsNone(bench.run(Sleeping(), FLUSHED, limit_s=0.5, may_be_late=True))
        with self.bench() as bench, self.assertRaisesRegex(MeasurementError, "sleeping.*did not end within 0.5 s"):
            bench.run(Sleeping(), FLUSHED, limit_s=0.5)
        self.addCleanup(shutil.rmtree, bench.scratch)
        self.assertLess(time.monotonic() - begun, 30)

    def test_a_client_that_asks_for_less_than_it_reports_is_found_out(self):
        class Boasting(Control):
            def figures(self, folder):
                return Figures(samples=5000, rate=100, errors=0)

        with self.bench() as bench, self.assertRaisesRegex(MeasurementError, "reports 5000 samples, but sent 200"):
            bench.run(Boasting(f"{self.folder.name}/control"), FLUSHED.of(200))
        self.addCleanup(shutil.rmtree, bench.scratch)

    def test_the_whole_command_measures_and_reports(self):
        records = Path(self.folder.name, "records.jsonl")
        programs = ["--stub", f"{self.folder.name}/stub", "--control", f"{self.folder.name}/control", "--java", "none"]
        options = ["--class-path", "none", "--rivals", "/none", "--records", str(records), "--quick"]
        command = [sys.executable, "-B", str(Path(__file__).with_name("benchmark.py")), *programs, *options]

        done = subprocess.run([*command, "--clients", "control", "--cases", "ttft,flush"], capture_output=True, text=True, check=False)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| ttft | mean TTFT error, runner : SGLang Rust client | - | at most 1 | not measured:", done.stdout)
        self.assertRegex(done.stdout, r"\| Go control \| \d+( †)? \|")
        self.assertRegex(done.stderr, r"about \d+ min left")
        kept = [json.loads(line) for line in records.read_text().splitlines()]
        self.assertEqual([record["case"] for record in kept], ["ttft", "flush"])
        self.assertTrue(all(record["measured"]["window"]["events"] > 0 for record in kept))


if __name__ == "__main__":
    unittest.main()
