"""python3 -B -m unittest discover -s hack/benchmark"""

import json
import tempfile
import unittest
from pathlib import Path

import report
import search
from clients import Harness, Runner
from measure import Figures, read_figures
from workloads import BATCHED, JOINED, PACED, PLAIN


def figures(**changed):
    values = {"samples": 800, "rate": 92.2, "scheduled": 100, "ttft_ms": {50: 51, 90: 60, 99: 90}, "tpot_p99_ms": 10, "errors": 0}
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
        self.assertTrue(search.sustains(PACED, figures()))

    def test_late_first_tokens_errors_and_a_late_end_are_not(self):
        self.assertFalse(search.sustains(PACED, figures(ttft_ms={50: 51, 90: 301, 99: 400})))
        self.assertFalse(search.sustains(PACED, figures(errors=1)))
        self.assertFalse(search.sustains(PACED, figures(rate=80)))
        self.assertFalse(search.sustains(PACED, None))


class FiguresTest(unittest.TestCase):
    def read(self, lines):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "mlperf_log_detail.txt").write_text("\n".join(lines))
            return read_figures(Path(folder))

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
                self.line("result_time_per_output_token_99.00_percentile_ns", 11_000_000),
            ]
        )

        self.assertEqual(read, Figures(7, 3.5, 4, {50: 50, 90: 90, 99: 99}, 11, 1))
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

        self.assertEqual(read, Figures(220, 110, None, None, None, 0))

    def test_a_log_that_was_cut_off_has_no_figures(self):
        self.assertIsNone(self.read([self.line("effective_scenario", "Server"), ':::MLLOG {"key": "resu']))


class ClientsTest(unittest.TestCase):
    def test_both_clients_are_asked_for_the_same(self):
        workload = PACED.at(rate=123, seconds=4)
        plan = Runner.plan(workload, "http://127.0.0.1:1", Path("/data/dataset.json"))["test"]
        conf = dict(line.split(" = ") for line in Harness.user_conf(workload).splitlines())

        self.assertEqual((plan["targetQps"], plan["minDurationMs"], plan["minQueryCount"]), (123, 4000, 2))
        self.assertEqual(
            [conf[f"gpt-oss-120b.Server.{key}"] for key in ("target_qps", "min_duration", "min_query_count")],
            ["123", "4000", "2"],
        )

    def test_the_harness_takes_a_bound_of_requests_only_where_it_sends_one_sample_each(self):
        harness = Harness("python", "/harness")
        with tempfile.TemporaryDirectory() as folder:
            commands = {w: harness.command(w.of(9), "http://u", Path("d.json"), Path(folder)) for w in (PLAIN, BATCHED)}

        self.assertIn("--offline-back-to-back", commands[PLAIN])
        self.assertNotIn("--offline-back-to-back", commands[BATCHED])


class ReportTest(unittest.TestCase):
    def test_the_ratio_is_the_median_of_the_rounds_and_not_of_the_values(self):
        results = report.Results(["a", "b"])
        row = report.SUSTAINED.of(PACED)
        for a, b in ((10, 5), (20, 5), (90, 30)):
            results.add(row, "a", a)
            results.add(row, "b", b)
            results.end_round()

        self.assertEqual(results.ratio(row), 3)
        self.assertIn("| **3.00** | 20 (10 to 90) | 5 (5 to 30) |", report.markdown(results, [], 3))

    def test_marks_a_rate_that_may_be_the_stubs(self):
        results = report.Results(["a"])
        results.add(report.SUSTAINED.of(JOINED), "a", 700, stub_share=0.95)
        results.end_round()

        self.assertIn("| 700 † |", report.markdown(results, [], 1))

    def test_a_client_without_a_workload_has_no_number_and_no_ratio(self):
        results = report.Results(["a", "b"])
        row = report.RATE.of(PLAIN)
        results.add(row, "a", 700)
        results.end_round()

        self.assertIsNone(results.ratio(row))
        self.assertIn("| - | 700 | - |", report.markdown(results, [], 1))


if __name__ == "__main__":
    unittest.main()
