"""Tests of scripts/soak: what it makes of samples and counters, and a short soak.

The short soak needs PUSHBENCH_BINARY, which scripts/test sets.
"""

import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts" / "lib"))

from soak import verdict  # noqa: E402

BINARY = os.environ.get("PUSHBENCH_BINARY")
MIB = 1 << 20


def samples(client=lambda second: 50 * MIB, files=lambda second: 12):
    return [
        verdict.Sample(second, client(second), files(second), 20 * MIB, 9) for second in range(100)
    ]


def run(**changes):
    account = {
        "audience": 10, "accepted": 6, "rejected": {"BadDeviceToken": 2}, "unknown": 1,
        "neverSent": 1,
    }
    return {
        "account": {**account, **changes}, "series": [{"inFlight": 3}, {"inFlight": 0}],
        "connections": [{}, {}],
    }


def mock(opened=2, closed=2):
    return {"connectionsOpened": opened, "connectionsClosed": closed}


class VerdictTests(unittest.TestCase):
    def faults(self, given=None, result=None, counters=None, descriptors=(9, 9)):
        return verdict.faults(
            given or samples(), result or run(), counters or mock(), descriptors
        )

    def assert_fault(self, word, found):
        self.assertEqual(len(found), 1, found)
        self.assertIn(word, found[0])

    def test_what_stays_has_no_fault(self):
        self.assertEqual(self.faults(), [])

    def test_memory_that_only_grows_in_the_warm_up_has_none(self):
        self.assertEqual(self.faults(samples(lambda second: min(second, 20) * 3 * MIB)), [])

    def test_jumps_to_and_fro_are_no_growth(self):
        self.assertEqual(self.faults(samples(lambda second: (50 + second % 7) * MIB)), [])

    def test_a_leak_is_found(self):
        self.assert_fault("memory of the client", self.faults(
            samples(lambda second: 50 * MIB + second * MIB // 20)
        ))

    def test_descriptors_that_come_and_go_have_no_fault(self):
        self.assertEqual(self.faults(samples(files=lambda second: 12 + second % 3)), [])

    def test_kept_descriptors_are_found(self):
        self.assert_fault("client keeps file descriptors", self.faults(
            samples(files=lambda second: 12 + second % 3 + second // 30)
        ))

    def test_what_does_not_balance_is_found(self):
        still = run()
        still["series"][-1]["inFlight"] = 1
        for word, found in (
            ("add up", self.faults(result=run(unknown=2))),
            ("in flight", self.faults(result=still)),
            ("nobody closed", self.faults(counters=mock(closed=1))),
            ("counts 2 connections", self.faults(counters=mock(3, 3))),
            ("before the run", self.faults(descriptors=(9, 10))),
        ):
            self.assert_fault(word, found)


@unittest.skipUnless(BINARY, "PUSHBENCH_BINARY is not set")
class SoakTests(unittest.TestCase):
    def test_nothing_grows_in_a_short_soak(self):
        done = subprocess.run(
            [ROOT / "scripts" / "soak", "--duration", "15s", "--rate", "5000"],
            capture_output=True, text=True, timeout=300,
            env={**os.environ, "PUSHBENCH_SKIP_PACKAGES": "1"},
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"connections +\d+ opened")
        self.assertIn("verdict ", done.stdout)

    def test_a_duration_that_is_none_is_refused(self):
        done = subprocess.run(
            [ROOT / "scripts" / "soak", "--duration", "soon"], capture_output=True, text=True,
            env={**os.environ, "PUSHBENCH_SKIP_PACKAGES": "1"},
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("soon is no duration", done.stderr)


if __name__ == "__main__":
    unittest.main()
