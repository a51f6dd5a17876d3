"""Tests of what scripts/ab-proof computes, without any process."""

import importlib.machinery
import importlib.util
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
LOADER = importlib.machinery.SourceFileLoader("ab_proof", str(ROOT / "scripts" / "ab-proof"))
SPEC = importlib.util.spec_from_loader("ab_proof", LOADER)
proof = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(proof)


def document(answer, detectable=0.01):
    return {
        "answer": answer,
        "metrics": [{"metric": "cpu", "ratio": 1.0, "minimumDetectableEffect": detectable}],
        "trial": {"pairs": [10], "voidPairs": 1},
    }


class ProofTests(unittest.TestCase):
    def test_the_busy_loop_has_its_place(self):
        source = (ROOT / proof.STAGE).read_text()
        changed = proof.patched(source)
        self.assertEqual(changed.count("Spin.wait"), 1)
        self.assertNotIn("Spin", source)

    def test_at_most_one_alarm_in_a_hundred(self):
        for alarms, count, holds in ((0, 20, True), (1, 20, False), (2, 200, True), (3, 200, False)):
            documents = [document("worse")] * alarms + [document("same")] * (count - alarms)
            self.assertEqual(proof.judged("same", documents)["holds"], holds)

    def test_nineteen_of_twenty(self):
        for missed, holds in ((0, True), (1, True), (2, False)):
            documents = [document("worse")] * (20 - missed) + [document("inconclusive")] * missed
            self.assertEqual(proof.judged("5%", documents)["holds"], holds)

    def test_never_the_same_where_it_could_be_seen(self):
        for found, holds in (
            (document("worse"), True),
            (document("inconclusive"), True),
            (document("same", 0.015), False),
            (document("same", 0.03), True),
            (document("better"), False),
        ):
            self.assertEqual(proof.judged("2%", [found])["holds"], holds)


if __name__ == "__main__":
    unittest.main()
