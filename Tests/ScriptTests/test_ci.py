"""The README's examples for continuous integration, read and executed as written.

A small repository of two commits stands for the checkout. Its scripts/test does nothing, since a
test inside a test would never end, and `swift` and `apt-get` are stand-ins: a build is the binary
under test. Everything else, all of pushbench included, is what it is.
"""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

try:
    import yaml
except ImportError:
    yaml = None

ROOT = Path(__file__).resolve().parents[2]
BINARY = os.environ.get("PUSHBENCH_BINARY")
IMAGE = "swift:6.3-bookworm"
SMALL = {"PAIRS": "10", "INSTALLS": "200", "RUNS": "3"}

SWIFT = """#!/usr/bin/env bash
set -eu
case "$*" in
    --version) echo "Swift version 6.3" ;;
    "package --version") ;;
    "build --package-path "*" -c release --product pushbench")
        mkdir -p "$3/.build/release"
        cp "$STAND_IN" "$3/.build/release/pushbench" ;;
    *) echo "swift stand-in: $*" >&2; exit 99 ;;
esac
"""
APT = '#!/usr/bin/env bash\necho "$*" >> "$HOME/apt"\n'
# A pushbench whose comparisons end as they are told to, and whatever else is real.
ANSWERS = """#!/usr/bin/env bash
[[ $1 != "$COMMAND" ]] || exit "$ANSWER"
exec "$BINARY" "$@"
"""


def examples():
    """The two YAML texts of the README's chapter, in order."""
    chapter = (ROOT / "README.md").read_text().split("\n## In continuous integration\n")[1]
    chapter = chapter.split("\n## ")[0]
    return re.findall(r"^```yaml\n(.*?)^```", chapter, re.M | re.S)


def git(folder, *words, **environment):
    return subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words], cwd=folder,
        env={**os.environ, **environment}, check=True, capture_output=True, text=True,
    ).stdout.strip()


class Checkout:
    """A folder as a runner has it after the checkout, and a way to run steps in it."""

    def __init__(self, folder):
        self.folder = Path(folder) / "checkout"
        self.home = Path(folder) / "home"
        for path in (self.folder, self.home / "bin"):
            path.mkdir(parents=True)
        for name, text in (("swift", SWIFT), ("apt-get", APT)):
            program = self.home / "bin" / name
            program.write_text(text)
            program.chmod(0o755)
        shutil.copytree(ROOT / "scripts", self.folder / "scripts")
        (self.folder / "scripts" / "test").write_text(
            "#!/usr/bin/env bash\nset -eu\n[[ $CI == true && $# -eq 0 ]]\n"
            'swift build --package-path "$PWD" -c release --product pushbench\n'
        )
        (self.folder / ".gitignore").write_text("/.build/\n/results/\n")
        git(self.folder, "init", "--quiet", "--initial-branch", "main")
        self.commit("2020-01-02T03:04:05Z")
        (self.folder / "new").write_text("new\n")
        self.commit("2021-01-02T03:04:05Z")
        self.base = git(self.folder, "rev-parse", "HEAD~1")

    def commit(self, date):
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--message", "x", GIT_COMMITTER_DATE=date,
            GIT_AUTHOR_DATE=date)

    def answering(self, command, code):
        """Makes all builds end the command with an exit code."""
        program = self.home / "pushbench"
        program.write_text(ANSWERS)
        program.chmod(0o755)
        return {"STAND_IN": str(program), "COMMAND": command, "ANSWER": str(code)}

    def run(self, script, variables):
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.folder,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
            env={
                "PATH": f"{self.home / 'bin'}:{os.environ['PATH']}", "HOME": str(self.home),
                "PUSHBENCH_SKIP_PACKAGES": "1", "BINARY": BINARY, "STAND_IN": BINARY,
                "TMPDIR": str(self.home), **variables,
            },
        )


@unittest.skipUnless(yaml, "PyYAML is missing")
@unittest.skipUnless(BINARY, "PUSHBENCH_BINARY is not set")
class ContinuousIntegrationTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.github, cls.gitlab = [yaml.safe_load(text) for text in examples()]

    def checkout(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Checkout(folder.name)

    def junit(self, checkout):
        root = ElementTree.parse(checkout.folder / "junit.xml").getroot()
        self.assertEqual(root.tag, "testsuites")
        self.assertGreater(len(root.findall("testsuite/testcase")), 1)

    def page(self, checkout):
        self.assertIn("<!DOCTYPE html>", (checkout.folder / "report.html").read_text()[:20])

    # MARK: GitHub

    @property
    def steps(self):
        return self.github["jobs"]["check"]["steps"]

    def github_variables(self, checkout):
        variables = {**self.github["jobs"]["check"]["env"], **SMALL}
        self.assertIn("base.sha", variables["BASE"])
        return {**variables, "BASE": checkout.base}

    def test_github_names_what_its_service_needs(self):
        # YAML 1.1 takes the key `on` for a truth value; the service does not.
        self.assertEqual(self.github[True], "pull_request")
        job = self.github["jobs"]["check"]
        self.assertEqual(job["container"], IMAGE)
        self.assertEqual(job["defaults"]["run"]["shell"], "bash")
        self.assertEqual(job["env"]["CI"], "true")
        for step in self.steps:
            self.assertEqual(len({"uses", "run"} & set(step)), 1, step)
        used = {step["uses"].split("@")[0]: step for step in self.steps if "uses" in step}
        self.assertEqual(used["actions/checkout"]["with"]["fetch-depth"], 0)
        self.assertIn(".build", used["actions/cache"]["with"]["path"].split())
        uploaded = used["actions/upload-artifact"]["with"]["path"].split()
        self.assertLessEqual({"junit.xml", "report.html"}, set(uploaded))
        self.assertEqual(used["mikepenz/action-junit-report"]["with"]["report_paths"], "junit.xml")
        self.assertEqual(self.github["permissions"]["checks"], "write")

    def test_github_steps_run_as_written(self):
        checkout = self.checkout()
        for step in self.steps:
            if "run" not in step:
                continue
            done = checkout.run(step["run"], self.github_variables(checkout))
            # Equal builds: never worse, though ten pairs may be too few to tell.
            self.assertEqual(done.returncode, 0, f"{step}\n{done.stdout}\n{done.stderr}")
            self.assertNotIn("::error::", done.stdout)
        self.junit(checkout)
        self.page(checkout)
        self.assertEqual(
            git(checkout.folder / "base", "rev-parse", "HEAD"), checkout.base,
        )

    def test_github_fails_for_worse_and_warns_when_nobody_can_tell(self):
        checkout = self.checkout()
        compare = next(step["run"] for step in self.steps if "pushbench ab" in step.get("run", ""))
        build = "swift build --package-path {} -c release --product pushbench"
        for answer, code, word in ((0, 0, ""), (5, 5, "::error::"), (6, 0, "::warning::"),
                                   (1, 1, "::error::")):
            variables = {**self.github_variables(checkout), **checkout.answering("ab", answer)}
            for folder in (".", "base"):
                checkout.run(build.format(folder), variables)
            done = checkout.run(compare, variables)
            self.assertEqual((done.returncode, word in done.stdout), (code, True), done)
            self.assertEqual("::" in done.stdout, bool(word))

    # MARK: GitLab

    def gitlab_run(self, job, checkout, **more):
        """Runs a job's script line by line in one shell, as the service does."""
        variables = {
            **self.gitlab["variables"], **SMALL,
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": checkout.base, **more,
        }
        lines = self.gitlab[job]["script"]
        self.assertTrue(all(isinstance(line, str) for line in lines))
        return checkout.run("\n".join(lines), variables)

    def test_gitlab_names_what_its_service_needs(self):
        self.assertEqual(self.gitlab["default"]["image"], IMAGE)
        self.assertEqual(self.gitlab["variables"]["CI"], "true")
        self.assertEqual(self.gitlab["variables"]["GIT_DEPTH"], "0")
        self.assertTrue(all(isinstance(value, str) for value in self.gitlab["variables"].values()))
        for job in ("compare", "nightly"):
            job = self.gitlab[job]
            self.assertEqual(job["allow_failure"], {"exit_codes": [6]})
            self.assertEqual(job["artifacts"]["reports"]["junit"], "junit.xml")
            self.assertIn("report.html", job["artifacts"]["paths"])
            self.assertEqual(job["artifacts"]["when"], "always")
        self.assertIn(".build", self.gitlab["check"]["cache"]["paths"])
        self.assertEqual(self.gitlab["nightly"]["cache"]["paths"], ["results"])

    def test_gitlab_checks_and_compares_as_written(self):
        checkout = self.checkout()
        done = self.gitlab_run("check", checkout)
        self.assertEqual(done.returncode, 0, done)
        done = self.gitlab_run("compare", checkout)
        self.assertIn(done.returncode, (0, 6), done)
        self.junit(checkout)
        self.page(checkout)
        self.assertIn("libjs-d3", (checkout.home / "apt").read_text())

    def test_gitlab_takes_the_exit_code_of_the_comparison(self):
        checkout = self.checkout()
        for answer in (5, 6):
            done = self.gitlab_run("compare", checkout, **checkout.answering("ab", answer))
            self.assertEqual(done.returncode, answer, done)
            git(checkout.folder, "worktree", "remove", "--force", "base")

    def test_gitlab_compares_with_the_nights_before(self):
        checkout = self.checkout()
        done = self.gitlab_run("nightly", checkout)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn("no older result", done.stderr)
        self.page(checkout)
        # Three runs of a few milliseconds cannot tell, and must not fail for anything else.
        done = self.gitlab_run("nightly", checkout)
        self.assertIn(done.returncode, (0, 6), done)
        self.junit(checkout)

    # MARK: The times of files

    def test_files_get_the_time_of_their_commit(self):
        checkout = self.checkout()
        odd = checkout.folder / "odd \n name"
        odd.write_text("x")
        checkout.commit("2022-01-02T03:04:05Z")
        changed = checkout.folder / ".gitignore"
        changed.write_text(changed.read_text() + "x\n")
        start = os.stat(changed).st_mtime
        done = checkout.run("./scripts/commit-times", {})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        times = {path.name: os.stat(path).st_mtime for path in (odd, checkout.folder / "new")}
        self.assertEqual(times, {"odd \n name": 1641092645, "new": 1609556645})
        self.assertEqual(os.stat(checkout.folder / "scripts" / "run").st_mtime, 1577934245)
        self.assertGreaterEqual(os.stat(changed).st_mtime, start)
        clone = checkout.home / "shallow"
        git(checkout.home, "clone", "--quiet", "--depth", "1", f"file://{checkout.folder}", "shallow")
        before = os.stat(clone / "new").st_mtime
        done = subprocess.run([clone / "scripts" / "commit-times"], capture_output=True, text=True)
        self.assertEqual((done.returncode, os.stat(clone / "new").st_mtime), (0, before))
        self.assertIn("shallow", done.stderr)


if __name__ == "__main__":
    unittest.main()
