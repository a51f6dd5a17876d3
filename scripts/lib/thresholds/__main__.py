"""The command behind scripts/check-thresholds."""

import argparse
import json
import os
import sys
from pathlib import Path

from . import counting, table


def parse(words):
    parser = argparse.ArgumentParser(prog="scripts/check-thresholds", allow_abbrev=False)
    parser.add_argument("--update", action="store_true", help="write the counts as the new table")
    parser.add_argument("--only", default="", metavar="NAME", help="benchmarks that start so")
    parser.add_argument("--table", type=Path, metavar="FILE", help="compare with this table")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--tables", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args(words)


def show(verdicts):
    width = max(len(verdict.name) for verdict in verdicts)
    print(
        f"{'':{width}}  {'instructions':>14}  {'threshold':>12}  {'change':>7}  "
        f"{'allocations':>11}  {'threshold':>9}"
    )
    for verdict in verdicts:
        cost, threshold = verdict.cost, verdict.threshold
        change = "" if threshold is None else f"{table.change_percent(cost, threshold):+.1f}%"
        limits = ("–", "–") if threshold is None else (
            f"{threshold.instructions:,.1f}", f"{threshold.allocations:g}"
        )
        mark = "OVER" if verdict.faults else "lower" if verdict.is_stale else ""
        print(
            f"{verdict.name:{width}}  {cost.instructions:>14,.1f}  {limits[0]:>12}  {change:>7}  "
            f"{cost.allocations:>11g}  {limits[1]:>9}  {mark}".rstrip()
        )


def document(verdicts):
    return json.dumps(
        [
            {
                "name": verdict.name,
                "instructions": verdict.cost.instructions,
                "allocations": verdict.cost.allocations,
                "threshold": verdict.threshold and vars(verdict.threshold),
                "faults": list(verdict.faults),
            }
            for verdict in verdicts
        ],
        indent=2,
    )


def main(words):
    options = parse(words)
    program = os.environ["PUSHBENCH_MICROBENCHMARKS"]
    try:
        swift = table.swift_version()
        path = options.table or options.tables / table.file_name(swift)
        # Before minutes of counting.
        tolerance, thresholds = (None, {}) if options.update else table.load(path)
        chosen = [name for name in counting.names(program) if name.startswith(options.only)]
        if not chosen:
            print(f"no benchmark starts with \"{options.only}\"", file=sys.stderr)
            return 2
        costs = counting.count_all(program, chosen)
        if options.update:
            if options.only and path.exists():
                costs = {**table.load(path)[1], **costs}
            path.write_text(table.text(swift, costs), encoding="utf-8")
            print(f"The thresholds are written to {path}")
            return 0
    except (counting.CountingFailed, table.TableUnusable) as error:
        print(f"check-thresholds: {error}", file=sys.stderr)
        return 2
    verdicts = table.compare(costs, tolerance, thresholds)
    if options.json:
        print(document(verdicts))
    else:
        show(verdicts)
    faults = [fault for verdict in verdicts for fault in verdict.faults]
    for fault in faults:
        print(f"check-thresholds: {fault}", file=sys.stderr)
    if not faults and any(verdict.is_stale for verdict in verdicts):
        print(
            "check-thresholds: some counts are well below their thresholds: keep the gain with "
            "scripts/check-thresholds --update.",
            file=sys.stderr,
        )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
