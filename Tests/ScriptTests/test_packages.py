"""Tests of how the scripts install packages, with stand-ins of dpkg-query, apt-get and sudo."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMON = (ROOT / "scripts" / "lib" / "common.sh").read_text()
NOBODY = 65534

# Notes what it was asked for; nothing is installed ever.
APT = 'echo "apt-get $*" >>"$NOTES"'
REFUSING = 'echo "sudo: a password is required" >&2; exit 1'


class PackagesTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.folder.chmod(0o777)
        self.put("dpkg-query", "exit 1")
        self.put("apt-get", APT)

    def put(self, name, text):
        program = self.folder / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)

    def need(self, package):
        """Asks for a package as somebody who is not root."""
        return subprocess.run(
            ["bash", "-c", f"set -euo pipefail\n{COMMON}\nneed_packages {package}"],
            env={"PATH": f"{self.folder}:/usr/bin:/bin", "NOTES": str(self.folder / "notes")},
            user=NOBODY if os.geteuid() == 0 else None,
            cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
        )  # fmt: skip

    def notes(self):
        notes = self.folder / "notes"
        return notes.read_text() if notes.exists() else ""

    def test_a_sudo_that_wants_a_password_is_named_and_nothing_is_tried(self):
        self.put("sudo", REFUSING)
        done = self.need("jq")
        self.assertEqual(done.returncode, 1)
        self.assertIn("sudo: a password is required", done.stderr)
        self.assertIn("error: these Debian packages are missing, and sudo did not", done.stderr)
        self.assertTrue(done.stderr.endswith(": jq\n"), done.stderr)
        self.assertEqual(self.notes(), "")

    def test_a_list_that_cannot_be_fetched_is_named(self):
        self.put("sudo", 'test "$1" = -n && shift; exec "$@"')
        self.put("apt-get", f"{APT}; exit 100")
        done = self.need("jq")
        self.assertEqual(done.returncode, 1)
        self.assertIn("error: apt-get update failed; see above", done.stderr)
        self.assertIn("update", self.notes())
        self.assertNotIn("install", self.notes())


if __name__ == "__main__":
    unittest.main()
