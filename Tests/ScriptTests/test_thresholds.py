"""Tests of scripts/check-thresholds: what it computes, and the program as a whole.

The whole needs valgrind and PUSHBENCH_MICROBENCHMARKS, which scripts/test sets.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

from thresholds import counting, table  # noqa: E402
from thresholds.counting import Cost  # noqa: E402

PROGRAM = os.environ.get("PUSHBENCH_MICROBENCHMARKS")


class ReadingTests(unittest.TestCase):
    def test_callgrind_and_the_benchmark_tell_their_counts(self):
        self.assertEqual(
            counting.read_instructions("==1== Events    : Ir\n==1== Collected : 123456\n"), 123456
        )
        self.assertEqual(
            counting.read_allocations("record: 2000 operations, 17 allocations\n"), 17
        )

    def test_other_words_are_an_error(self):
        for read in [counting.read_instructions, counting.read_allocations]:
            with self.assertRaises(counting.CountingFailed):
                read("Segmentation fault")


class ComparisonTests(unittest.TestCase):
    def verdict(self, cost, threshold):
        return table.compare({"x": cost}, 3.0, {"x": threshold} if threshold else {})[0]

    def test_what_is_over_and_what_is_not(self):
        rows = [
            (Cost(100, 0), Cost(100, 0), 0, False),
            (Cost(103, 0), Cost(100, 0), 0, False),
            (Cost(103.1, 0), Cost(100, 0), 1, False),
            (Cost(97, 0), Cost(100, 0), 0, False),
            (Cost(96, 0), Cost(100, 0), 0, True),
            # Allocations are compared exactly.
            (Cost(100, 0.001), Cost(100, 0), 1, False),
            (Cost(100, 2), Cost(100, 3), 0, True),
            (Cost(200, 2), Cost(100, 1), 2, False),
            (Cost(100, 0), None, 1, True),
        ]
        for cost, threshold, faults, is_stale in rows:
            with self.subTest(cost=cost, threshold=threshold):
                verdict = self.verdict(cost, threshold)
                self.assertEqual(len(verdict.faults), faults)
                self.assertEqual(verdict.is_stale, is_stale)
                for fault in verdict.faults:
                    self.assertIn('"x"', fault)

    def test_a_table_is_read_as_it_was_written(self):
        costs = {"render apns": Cost(123.4, 0), "seal \"x\"": Cost(1e5, 12.5)}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "t.json")
            path.write_text(table.text("6.3", costs))
            self.assertEqual(table.load(path), (table.TOLERANCE, costs))
            self.assertEqual(json.loads(path.read_text())["swift"], "6.3")

    def test_an_unusable_table_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for text in [None, "", "[]", "{}", '{"schema": "other/1"}', '{"schema": 1']:
                path = Path(folder, "t.json")
                path.unlink(missing_ok=True)
                if text is not None:
                    path.write_text(text)
                with self.subTest(text=text), self.assertRaises(table.TableUnusable) as caught:
                    table.load(path)
                self.assertIn(str(path), str(caught.exception))

    def test_the_committed_tables_are_usable(self):
        paths = sorted((ROOT / "Benchmarks" / "Thresholds").glob("*.json"))
        self.assertTrue(paths)
        for path in paths:
            _, thresholds = table.load(path)
            self.assertIn("render xulo", thresholds)
            for cost in thresholds.values():
                self.assertGreater(cost.instructions, 0)


@unittest.skipUnless(PROGRAM, "PUSHBENCH_MICROBENCHMARKS is not set")
@unittest.skipUnless(shutil.which("valgrind"), "valgrind is missing")
class ProgramTests(unittest.TestCase):
    NAME = "record"

    def check(self, *arguments):
        return subprocess.run(
            [ROOT / "scripts" / "check-thresholds", "--only", self.NAME, *arguments],
            capture_output=True, stdin=subprocess.DEVNULL, timeout=300, text=True,
            env={**os.environ, "PUSHBENCH_SKIP_PACKAGES": "1"},
        )

    def test_a_lowered_threshold_makes_it_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "t.json")
            written = self.check("--update", "--table", str(path))
            self.assertEqual(written.returncode, 0, written.stderr)
            passed = self.check("--table", str(path))
            self.assertEqual(passed.returncode, 0, passed.stderr)
            self.assertEqual(passed.stderr, "")
            self.assertIn(self.NAME, passed.stdout)

            content = json.loads(path.read_text())
            content["benchmarks"][self.NAME]["instructions"] *= 0.9
            path.write_text(json.dumps(content))
            failed = self.check("--table", str(path))
            self.assertEqual(failed.returncode, 1)
            self.assertIn("more than its threshold", failed.stderr)
            self.assertIn("OVER", failed.stdout)

    def test_counts_are_the_same_each_time(self):
        first, second = (counting.count_all(PROGRAM, [self.NAME]) for _ in range(2))
        self.assertEqual(first, second)
        self.assertEqual(first[self.NAME].allocations, 0)

    def test_without_a_table_it_says_how_to_write_one(self):
        missing = self.check("--table", "/nowhere/t.json")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("--update", missing.stderr)


if __name__ == "__main__":
    unittest.main()
