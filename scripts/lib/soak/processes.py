"""The two processes of a soak, and what the system says of them."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

# Faults of every kind, so seldom that the rate can be kept.
PERSONALITY = ",".join(
    (
        "apple", "faults.refusedStream=0.5%", "faults.internalError=0.05%", "faults.reset=0.01%",
        "faults.silentDeath=0.0005%", "goAway.everyPushes=5000", "BadDeviceToken=0.02%",
        "Unregistered=0.5%",
    )
)


def resident(pid):
    """Resident memory in bytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def descriptors(pid):
    """Open file descriptors."""
    return len(os.listdir(f"/proc/{pid}/fd"))


class Mock:
    """A mock of its own, without TLS, so that its counters can be read by any client."""

    def __init__(self, binary, folder):
        ready = folder / "ready.json"
        self.output = (folder / "mock.json").open("w+")
        self.program = subprocess.Popen(
            [binary, "mock", "--port", "0", "--plain", "--quiet", "--ready-file", str(ready),
             "--personality", PERSONALITY],
            stdin=subprocess.DEVNULL, stdout=self.output,
        )
        end = time.monotonic() + 60
        while not ready.exists():
            if self.program.poll() is not None or time.monotonic() > end:
                raise SystemExit("error: the mock did not start; see above")
            time.sleep(0.02)
        self.port = json.loads(ready.read_text())["port"]

    @property
    def pid(self):
        return self.program.pid

    def stop(self):
        """Ends it, and returns what it counted."""
        self.program.send_signal(signal.SIGTERM)
        self.program.wait()
        self.output.seek(0)
        return json.loads(self.output.read())


class Run:
    """The run that is watched."""

    def __init__(self, binary, mock, options, folder):
        self.result = folder / "result.json"
        self.program = subprocess.Popen(
            [binary, "run", "--quiet", "--target", f"http://127.0.0.1:{mock.port}",
             "--rate", str(options.rate), "--duration", f"{options.duration:g}s",
             "--connections", str(options.connections), "--streams", "200",
             "--installs", "100000", "--retry-delay", "10ms",
             "--ping-interval", "300ms", "--ping-timeout", "1s", "--out", str(self.result)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        )

    @property
    def pid(self):
        return self.program.pid

    @property
    def is_running(self):
        return self.program.poll() is None

    def document(self):
        """Its result; None where it wrote none."""
        return json.loads(self.result.read_text()) if self.result.exists() else None
