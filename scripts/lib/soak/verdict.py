"""What samples and counters say: whether anything grew. Pure: knows no process and no clock."""

import statistics
from dataclasses import dataclass

# Memory may grow by so much over all samples after the warm-up: what allocators and measuring take.
MOST_GROWTH_SHARE = 0.03
MOST_GROWTH_BYTES = 2 << 20
# The first part of the samples is warm-up.
WARM_UP_SHARE = 0.25


@dataclass
class Sample:
    """A moment: seconds since the start, bytes and open descriptors of both processes."""

    seconds: float
    client_bytes: int
    client_descriptors: int
    mock_bytes: int
    mock_descriptors: int


def slope(points):
    """Theil's slope: the median of the slopes between all pairs, which single jumps do not move."""
    slopes = [
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for index, earlier in enumerate(points)
        for later in points[index + 1:]
        if later[0] > earlier[0]
    ]
    return statistics.median(slopes) if slopes else 0.0


def warm(samples):
    """The samples after the warm-up."""
    return samples[int(len(samples) * WARM_UP_SHARE):]


def growth(samples, field):
    """Bytes that a process grew by over the samples after the warm-up, as their slope says it."""
    points = [(sample.seconds, getattr(sample, field)) for sample in warm(samples)]
    return slope(points) * (points[-1][0] - points[0][0]) if len(points) > 1 else 0.0


def memory_fault(samples, name, field):
    """A sentence where the memory of a process grows."""
    grown = growth(samples, field)
    usual = statistics.median(getattr(sample, field) for sample in warm(samples))
    limit = max(MOST_GROWTH_BYTES, MOST_GROWTH_SHARE * usual)
    if grown <= limit:
        return None
    return (
        f"The memory of the {name} grows: by {grown / 2**20:.1f} MiB after the warm-up, where "
        f"{limit / 2**20:.1f} would do."
    )


def descriptor_fault(samples, name, field):
    """A sentence where a process keeps descriptors: their least number in the last third is higher
    than in the first. Single samples have some more, while connections are replaced."""
    counts = [getattr(sample, field) for sample in warm(samples)]
    third = max(1, len(counts) // 3)
    first, last = min(counts[:third]), min(counts[-third:])
    if last <= first:
        return None
    return f"The {name} keeps file descriptors: {last} at the end, {first} after the warm-up."


def balance_faults(run, mock, mock_descriptors):
    """Sentences for what does not balance at the end.

    run: the result's run. mock: the mock's counters. mock_descriptors: of the mock, at its start and
    after the run.
    """
    account = run["account"]
    ends = account["accepted"] + sum(account["rejected"].values())
    ends += account["unknown"] + account["neverSent"]
    if ends != account["audience"]:
        yield f"The account does not add up: {ends} of {account['audience']} pushes have an end."
    if run["series"] and run["series"][-1]["inFlight"] != 0:
        yield f"{run['series'][-1]['inFlight']} pushes are in flight after the end."
    opened = len(run["connections"])
    if mock["connectionsOpened"] != opened:
        yield f"The client counts {opened} connections and the mock {mock['connectionsOpened']}."
    left = mock["connectionsOpened"] - mock["connectionsClosed"]
    if left != 0:
        yield f"The mock has {left} connections left that nobody closed."
    before, after = mock_descriptors
    if after != before:
        yield f"The mock had {before} file descriptors before the run and has {after} after it."


def faults(samples, run, mock, mock_descriptors):
    """All that is wrong, as sentences."""
    found = [
        memory_fault(samples, "client", "client_bytes"),
        memory_fault(samples, "mock", "mock_bytes"),
        descriptor_fault(samples, "client", "client_descriptors"),
        descriptor_fault(samples, "mock", "mock_descriptors"),
        *balance_faults(run, mock, mock_descriptors),
    ]
    return [sentence for sentence in found if sentence]
