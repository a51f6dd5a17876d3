"""scripts/soak: runs, samples, judges."""

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path

from . import verdict
from .processes import Mock, Run, descriptors, resident

UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
# Rows of the table; more samples than that are taken.
ROWS = 20
# Connections that were told to go linger at the mock for a second, on a busy machine longer.
LINGER_SECONDS = 30


def duration(text):
    """Seconds of a text such as 10m, 20s."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not found or float(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text} is no duration: write 10m, 20s or the like")
    return float(found[1]) * UNITS[found[2]]


def options():
    parser = argparse.ArgumentParser(
        prog="scripts/soak", description="Looks at what grows while pushbench sends for long."
    )
    parser.add_argument(
        "--duration", type=duration, default=600, metavar="T", help="how long (default 10m)"
    )
    parser.add_argument(
        "--rate", type=int, default=20000, metavar="R", help="pushes a second (default 20000)"
    )
    parser.add_argument(
        "--connections", type=int, default=4, metavar="N", help="connections (default 4)"
    )
    return parser.parse_args()


def watch(run, mock, seconds):
    """Samples of both processes, about three hundred, until the run has sent for `seconds`."""
    samples = []
    start = time.monotonic()
    pause = max(0.1, seconds / 300)
    while run.is_running:
        elapsed = time.monotonic() - start
        # From then on connections are only closed.
        if elapsed > seconds:
            break
        try:
            samples.append(
                verdict.Sample(
                    elapsed, resident(run.pid), descriptors(run.pid),
                    resident(mock.pid), descriptors(mock.pid),
                )
            )
        except (FileNotFoundError, ProcessLookupError):
            break
        time.sleep(pause)
    run.program.wait()
    return samples


def settled_descriptors(mock, wanted):
    """The mock's descriptors, once they are `wanted` or connections have lingered long enough."""
    end = time.monotonic() + LINGER_SECONDS
    while descriptors(mock.pid) != wanted and time.monotonic() < end:
        time.sleep(0.1)
    return descriptors(mock.pid)


def table(samples):
    yield f"{'seconds':>8}  {'client MiB':>10}  {'files':>5}  {'mock MiB':>8}  {'files':>5}"
    step = max(1, len(samples) // ROWS)
    for sample in samples[::step]:
        yield (
            f"{sample.seconds:8.1f}  {sample.client_bytes / 2**20:10.1f}  "
            f"{sample.client_descriptors:5}  {sample.mock_bytes / 2**20:8.1f}  "
            f"{sample.mock_descriptors:5}"
        )


def summary(samples, run, mock):
    account = run["account"]
    rejected = sum(account["rejected"].values())
    yield ""
    yield (
        f"pushes       {account['accepted']:,} accepted, {rejected:,} rejected, "
        f"{account['unknown']:,} unknown, {account['neverSent']:,} never sent"
    )
    yield (
        f"connections  {mock['connectionsOpened']:,} opened, {mock['connectionsClosed']:,} closed: "
        f"{mock['goAways']:,} by GOAWAY, {mock['connectionResets']:,} by reset, "
        f"{mock['silentDeaths']:,} in silence"
    )
    yield f"streams      {mock['streamsRefused']:,} refused, {mock['streamsFailed']:,} failed"
    for name in ("client", "mock"):
        grown = verdict.growth(samples, f"{name}_bytes") / 2**20
        yield f"{name + ' memory':12} {grown:+.2f} MiB after the warm-up"


def main():
    chosen = options()
    binary = os.environ["PUSHBENCH_BINARY"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        mock = Mock(binary, folder)
        try:
            before = descriptors(mock.pid)
            run = Run(binary, mock, chosen, folder)
            try:
                samples = watch(run, mock, chosen.duration)
            finally:
                run.program.kill()
                run.program.wait()
            after = settled_descriptors(mock, before)
        finally:
            counters = mock.stop()
        document = run.document()
    if document is None or not samples:
        sys.exit(f"error: the run ended with exit code {run.program.returncode} and no result")
    measured = document["runs"][0]
    for line in (*table(samples), *summary(samples, measured, counters)):
        print(line)
    found = verdict.faults(samples, measured, counters, (before, after))
    for sentence in found:
        print(f"FAILED: {sentence}")
    if not found:
        print("verdict      memory flat, descriptors back to the start, connections balanced")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
