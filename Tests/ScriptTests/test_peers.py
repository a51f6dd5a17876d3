"""Tests of what scripts/bench-peers computes, without any process."""

import base64
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "lib"))

from peers import report, sides, work  # noqa: E402
from peers.processes import SideFailed  # noqa: E402


class WorkTests(unittest.TestCase):
    def test_all_languages_have_the_same_body_size(self):
        message = work.make_message()
        sizes = {len(work.render(language, message)) for language in work.LANGUAGES}
        self.assertEqual(sizes, {work.BODY_BYTES})

    def test_tokens_are_valid_and_distinct(self):
        tokens = work.make_tokens(500)
        self.assertEqual(len(set(tokens)), 500)
        self.assertTrue(all(len(token) == 64 and int(token, 16) >= 0 for token in tokens))
        self.assertEqual(tokens, work.make_tokens(500))

    def test_provider_token_has_the_form_of_apns(self):
        head, claims, signature = (
            base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))
            for part in work.provider_token().split(".")
        )
        self.assertEqual(json.loads(head)["alg"], "ES256")
        self.assertIsInstance(json.loads(claims)["iat"], int)
        self.assertEqual(len(signature), 64)


class ReadingTests(unittest.TestCase):
    H2LOAD = (
        "finished in 2.50s, 400000.25 req/s, 22.02MB/s\n"
        "requests: 10 total, 10 started, 10 done, 10 succeeded, 0 failed, 0 errored, 0 timeout\n"
        "status codes: {} 2xx, 0 3xx, {} 4xx, 0 5xx\n"
    )

    def test_reads_the_rate_of_h2load(self):
        self.assertEqual(sides.read_h2load(self.H2LOAD.format(10, 0), 10), 400000.25)

    def test_refuses_answers_other_than_2xx(self):
        with self.assertRaisesRegex(SideFailed, "got 9 answers"):
            sides.read_h2load(self.H2LOAD.format(9, 1), 10)

    def test_refuses_output_that_it_does_not_know(self):
        for read in (sides.read_h2load, sides.read_pushbench):
            with self.assertRaisesRegex(SideFailed, "cannot be read"):
                read("nonsense", 10)

    def test_reads_a_result_whose_pushes_were_accepted(self):
        def result(accepted):
            run = {"account": {"accepted": accepted}, "throughput": {"pushesPerSecond": 5e5}}
            return json.dumps({"runs": [run]})

        self.assertEqual(sides.read_pushbench(result(10), 10), 5e5)
        with self.assertRaisesRegex(SideFailed, "9 of 10"):
            sides.read_pushbench(result(9), 10)


class ReportTests(unittest.TestCase):
    @staticmethod
    def sample(client, server, client_cpu, server_cpu, rate, streams=500):
        return {
            "streams": streams,
            "client": client,
            "server": server,
            "clientMicroseconds": client_cpu,
            "serverMicroseconds": server_cpu,
            "pushesPerSecond": rate,
        }

    def setUp(self):
        self.samples = [
            self.sample("h2load", "nghttpd", cpu, 4.0, 400_000) for cpu in (2.0, 9.0, 2.2)
        ]
        self.samples += [
            self.sample("h2load +auth", "nghttpd", 2.75, 5.0, 380_000),
            self.sample("h2load", "pushbench mock", 2.2, 1.0, 450_000),
            self.sample("h2load +auth", "pushbench mock", 2.7, 1.0, 440_000),
            self.sample("pushbench run", "nghttpd", 0.55, 4.0, 240_000),
            self.sample("pushbench run", "pushbench mock", 0.6, 1.0, 1_000_000),
        ]

    def test_takes_the_median_of_the_rounds(self):
        row = report.summarise(self.samples)[0]
        self.assertEqual(row["rounds"], 3)
        self.assertEqual(row["clientMicroseconds"], {"median": 2.2, "min": 2.0, "max": 9.0})

    def test_ratios_set_ours_over_theirs(self):
        found = report.ratios(report.summarise(self.samples))
        ratio = {item["what"]: round(item["ratio"], 4) for item in found}
        self.assertEqual(
            ratio,
            {
                "client CPU, pushbench run / h2load, to nghttpd": 0.25,
                "client CPU, pushbench run / h2load +auth, to nghttpd": 0.2,
                "pushes/s, pushbench run to the mock / h2load to nghttpd": 2.5,
                "server CPU, mock / nghttpd, under h2load": 0.25,
                "server CPU, mock / nghttpd, under h2load +auth": 0.2,
            },
        )

    def test_leaves_out_what_was_not_measured(self):
        rows = report.summarise(self.samples[:4])
        self.assertEqual(report.ratios(rows), [])
        self.assertIn("note: no mock", report.table(rows, [], ["no mock"]))


if __name__ == "__main__":
    unittest.main()
