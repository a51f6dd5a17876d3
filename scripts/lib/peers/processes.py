"""Child processes pinned to a core, and the CPU time that they take."""

import os
import resource
import signal
import subprocess
import time
from pathlib import Path


class SideFailed(Exception):
    """A side could not do the work; the text says which and why."""


def pinned(core):
    """What pins a child to a core before it starts."""
    return lambda: os.sched_setaffinity(0, {core})


def cpu_nanoseconds(pid):
    """The CPU time of a running process, over all of its threads."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            total += int((task / "schedstat").read_text().split()[0])
        except (OSError, IndexError, ValueError):
            return cpu_from_ticks(pid)
    return total


def cpu_from_ticks(pid):
    """The same from the coarser clock that every kernel has."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Server:
    """A server that runs until it is stopped."""

    def __init__(self, name, command, core, log):
        self.name = name
        self.log = Path(log)
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=pinned(core),
            )

    def wait_until(self, is_ready, seconds=20):
        """Waits until `is_ready()` returns something true, and returns it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise SideFailed(f"{self.name} ended at once: {self.last_words()}")
            found = is_ready()
            if found:
                return found
            time.sleep(0.02)
        self.stop()
        raise SideFailed(f"{self.name} was not ready within {seconds} s: {self.last_words()}")

    def cpu(self):
        """The CPU time so far, in nanoseconds."""
        return cpu_nanoseconds(self.process.pid)

    def last_words(self):
        """The end of what the server wrote."""
        return self.log.read_text(errors="replace").strip()[-400:] or "it said nothing"

    def stop(self):
        """Ends the server."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def run_client(name, command, core, seconds):
    """Runs a client to its end; returns its output, its CPU and its wall time in nanoseconds."""
    before = children_cpu()
    started = time.monotonic_ns()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=pinned(core),
    )
    try:
        output, errors = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise SideFailed(f"{name} did not end within {seconds} s") from None
    wall = time.monotonic_ns() - started
    if process.returncode != 0:
        words = (errors.decode(errors="replace") + output.decode(errors="replace")).strip()
        raise SideFailed(f"{name} ended with code {process.returncode}: {words[-600:]}")
    # No other child is waited for meanwhile: the difference is this client's alone.
    return output.decode(errors="replace"), children_cpu() - before, wall


def children_cpu():
    """The CPU time of all children that were waited for, in nanoseconds."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((usage.ru_utime + usage.ru_stime) * 1e9)
