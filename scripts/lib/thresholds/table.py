"""The committed table, and what is over it."""

import json
import platform
import re
import subprocess
from dataclasses import dataclass

from .counting import Cost

SCHEMA = "pushbench.thresholds/1"
# Counts of one build are exact. Those of a build with another patch release of a library are not.
TOLERANCE = 3.0


class TableUnusable(Exception):
    """A table that cannot be used; the text says which and why."""


@dataclass(frozen=True)
class Verdict:
    """One benchmark beside its threshold."""

    name: str
    cost: Cost
    threshold: Cost | None
    faults: tuple[str, ...]
    # So far below its threshold that the table should be written anew, or not in it.
    is_stale: bool


def swift_version():
    """Major and minor version of the toolchain: a patch release does not change the code much."""
    text = subprocess.run(
        ["swift", "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60
    ).stdout
    found = re.search(r"Swift version (\d+\.\d+)", text)
    if not found:
        raise TableUnusable("swift --version tells no version: look at the toolchain.")
    return found.group(1)


def file_name(swift):
    """The table's name: counts depend on the compiler and the processor's kind."""
    return f"swift-{swift}-{platform.machine()}.json"


def load(path):
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        if table["schema"] != SCHEMA:
            raise TableUnusable(f"{path} has the format {table['schema']}, not {SCHEMA}.")
        return table["tolerancePercent"], {
            name: Cost(row["instructions"], row["allocations"])
            for name, row in table["benchmarks"].items()
        }
    except FileNotFoundError as error:
        raise TableUnusable(
            f"There is no table for this toolchain and processor: {path}. If the code is as it "
            "should be, write one with scripts/check-thresholds --update."
        ) from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise TableUnusable(f"{path} is no table of thresholds: {error!r}.") from error


def text(swift, costs):
    """A table as it is committed: one benchmark a line, so that changes are seen line by line."""
    rows = ",\n".join(
        f"    {json.dumps(name)}: "
        f"{{\"instructions\": {cost.instructions}, \"allocations\": {cost.allocations}}}"
        for name, cost in costs.items()
    )
    return (
        "{\n"
        f"  \"schema\": \"{SCHEMA}\",\n"
        f"  \"swift\": \"{swift}\",\n"
        f"  \"architecture\": \"{platform.machine()}\",\n"
        f"  \"tolerancePercent\": {TOLERANCE},\n"
        f"  \"benchmarks\": {{\n{rows}\n  }}\n"
        "}\n"
    )


def change_percent(cost, threshold):
    """How many percent more instructions than the threshold."""
    return 100 * (cost.instructions - threshold.instructions) / threshold.instructions


def compare(costs, tolerance, thresholds):
    """The verdict of each benchmark that was counted."""
    verdicts = []
    for name, cost in costs.items():
        threshold = thresholds.get(name)
        faults = []
        if threshold is None:
            faults.append(
                f"\"{name}\" has no threshold: add it with scripts/check-thresholds --update."
            )
            verdicts.append(Verdict(name, cost, None, tuple(faults), True))
            continue
        change = change_percent(cost, threshold)
        if change > tolerance:
            faults.append(
                f"\"{name}\" takes {cost.instructions:,.1f} instructions, {change:.1f}% more than "
                f"its threshold of {threshold.instructions:,.1f} ({tolerance:g}% are allowed)."
            )
        if cost.allocations > threshold.allocations:
            faults.append(
                f"\"{name}\" allocates {cost.allocations:g} times an operation, its threshold is "
                f"{threshold.allocations:g}."
            )
        is_stale = change < -tolerance or cost.allocations < threshold.allocations
        verdicts.append(Verdict(name, cost, threshold, tuple(faults), is_stale))
    return verdicts
