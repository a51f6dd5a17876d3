"""Exact counts: instructions by valgrind's callgrind, allocations by the benchmark itself.

Each is the difference of two runs with different numbers of operations, so that whatever is done
once (loading, compiling the message, warming up) is left out.
"""

import contextlib
import os
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

# Where the code that runs depends on the CPU, every machine gets the same: OpenSSL's choice up to
# AES-NI and SSE4.2, the C library's string functions without AVX, simdjson's portable code.
FIXED = {
    "OPENSSL_ia32cap": "0x02180202078bfbff:0",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX_Usable,-AVX2_Usable,-AVX2,-AVX,-ERMS,-FSRM,-AVX512F",
    "SIMDJSON_FORCE_IMPLEMENTATION": "fallback",
    # A hash table of another order would take other steps.
    "SWIFT_DETERMINISTIC_HASHING": "1",
    "SWIFT_BACKTRACE": "enable=no",
}
PATIENCE = 300
# The fewest operations of the two runs, and how many more the second has. All engines' batches
# divide them; RSA is dear, so there are fewer of it.
FEW, MORE = 2000, 10_000
SEALED_FEW, SEALED_MORE = 20, 100


class CountingFailed(Exception):
    """A program that counts failed; the text says which and how."""


@dataclass(frozen=True)
class Cost:
    """What one operation costs."""

    instructions: float
    allocations: float


def call(words):
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), **FIXED}
    try:
        done = subprocess.run(
            words, capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE,
            env=environment, text=True, errors="replace",
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CountingFailed(f"{words[0]} did not come to an end: {error}") from error
    if done.returncode != 0:
        tail = (done.stdout + done.stderr).strip()[-1500:]
        raise CountingFailed(f"{' '.join(words)}: exit code {done.returncode}\n{tail}")
    return done


@contextlib.contextmanager
def without_debug_information(program):
    """A copy of the program that valgrind can read: its reader knows no DWARF 5 of clang."""
    with tempfile.TemporaryDirectory(prefix="pushbench-thresholds-") as folder:
        copy = f"{folder}/MicroBenchmarks"
        call(["strip", "--strip-debug", "-o", copy, program])
        yield copy


def names(program):
    """The benchmarks that the program has."""
    return call([program, "--list"]).stdout.split("\n")[:-1]


def read_instructions(text):
    """The instructions in what callgrind says."""
    found = re.search(r"Collected : (\d+)", text)
    if not found:
        raise CountingFailed(f"valgrind says nothing of what it collected: {text[-1500:]}")
    return int(found.group(1))


def read_allocations(text):
    """The allocations in what a benchmark says."""
    found = re.search(r"(\d+) allocations", text)
    if not found:
        raise CountingFailed(f"the benchmark says nothing of allocations: {text[-1500:]}")
    return int(found.group(1))


def instructions(program, name, operations):
    words = [
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
        program, "--count", str(operations), name,
    ]
    return read_instructions(call(words).stderr)


def allocations(program, name, operations):
    return read_allocations(call([program, "--count", str(operations), name]).stdout)


def count(program, name):
    """The exact cost of one operation of a benchmark."""
    is_sealed = name.startswith("seal")
    few, more = (SEALED_FEW, SEALED_MORE) if is_sealed else (FEW, MORE)

    def difference(counter):
        return (counter(program, name, few + more) - counter(program, name, few)) / more

    return Cost(round(difference(instructions), 1), round(difference(allocations), 3))


def count_all(program, chosen):
    """The costs by name; two at a time, since counts do not mind company."""
    with without_debug_information(program) as copy, ThreadPoolExecutor(max_workers=2) as pool:
        return dict(zip(chosen, pool.map(lambda name: count(copy, name), chosen)))
