"""Prometheus' own checker reads what `--metrics-listen` serves.

Needs PUSHBENCH_BINARY, which scripts/test sets, and promtool from Debian's package prometheus.
"""

import os
import re
import shutil
import signal
import subprocess
import unittest
import urllib.request

BINARY = os.environ.get("PUSHBENCH_BINARY")
PROMTOOL = shutil.which("promtool")


@unittest.skipUnless(BINARY, "PUSHBENCH_BINARY is not set")
@unittest.skipUnless(PROMTOOL, "promtool is missing")
class MetricsTests(unittest.TestCase):
    def start(self, *arguments):
        program = subprocess.Popen(
            [BINARY, *arguments, "--quiet", "--metrics-listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        self.addCleanup(program.stderr.close)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        for line in program.stderr:
            found = re.search(r"http://\S+/metrics", line)
            if found:
                return program, found.group(0)
        raise AssertionError(f"{arguments}: no address on stderr")

    def scrape(self, address):
        with urllib.request.urlopen(address, timeout=60) as answer:
            self.assertEqual(
                answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8"
            )
            return answer.read().decode()

    def check(self, text):
        done = subprocess.run(
            [PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), text)

    def test_the_checker_finds_faults(self):
        with self.assertRaises(AssertionError):
            self.check("# TYPE pushbench_pushes counter\npushbench_pushes 1\n")

    def test_a_run_serves_what_prometheus_takes(self):
        program, address = self.start(
            "run", "--rate", "200", "--duration", "60s", "--installs", "100"
        )
        text = ""
        while not re.search(r"^pushbench_service_time_seconds_count [1-9]", text, re.MULTILINE):
            text = self.scrape(address)
            self.check(text)
        program.send_signal(signal.SIGINT)
        self.assertEqual(program.wait(timeout=60), 130)

    def test_a_mock_serves_what_prometheus_takes(self):
        program, address = self.start("mock", "--plain")
        text = self.scrape(address)
        self.check(text)
        self.assertIn("\npushbench_mock_requests_total 0\n", text)
        program.send_signal(signal.SIGTERM)
        self.assertEqual(program.wait(timeout=60), 0)


if __name__ == "__main__":
    unittest.main()
