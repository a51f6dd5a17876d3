"""A headless Chromium that a test looks at pages with, over its debugging pipe.

Writes nothing outside a folder of its own, speaks to no network, and is ended whatever happens.
"""

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = shutil.which("chromium")
PATIENCE = 120


class Chromium:
    """A browser with one page; use it in a `with` statement."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="pushbench-chromium-")
        home = self.folder.name
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        environment = {
            "PATH": os.environ["PATH"], "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8",
            "XDG_CONFIG_HOME": home, "XDG_CACHE_HOME": home, "XDG_DATA_HOME": home,
            "XDG_RUNTIME_DIR": home,
        }
        flags = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-breakpad", "--no-first-run", "--no-default-browser-check",
            "--remote-debugging-pipe", f"--user-data-dir={home}/profile", "about:blank",
        ]
        # The pipe is descriptors 3 and 4 of the browser.
        script = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        with open(f"{home}/stderr", "wb") as errors:
            self.process = subprocess.Popen(
                ["bash", "-c", script, "bash", PROGRAM, *flags],
                stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, env=environment,
                pass_fds=(to_browser, from_browser), start_new_session=True,
            )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        try:
            targets = self.call("Target.getTargets")["targetInfos"]
            page = next(target for target in targets if target["type"] == "page")
            self.session = self.call(
                "Target.attachToTarget", targetId=page["targetId"], flatten=True
            )["sessionId"]
            for domain in ["Page", "Runtime", "Log", "Network"]:
                self.call(f"{domain}.enable")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # The session is the browser's own, with all of its processes in it.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait(timeout=60)
        os.close(self.input)
        os.close(self.output)
        # Its children may need a moment to be gone.
        for _ in range(50):
            try:
                self.folder.cleanup()
                return
            except OSError:
                time.sleep(0.1)

    def call(self, method, **parameters):
        """Calls a method of the debugging protocol and returns its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], deadline - time.monotonic())
            chunk = os.read(self.input, 1 << 16) if ready else b""
            if not chunk:
                raise RuntimeError(
                    "chromium ended or does not answer: "
                    + Path(self.folder.name, "stderr").read_text(errors="replace")[-2000:]
                )
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def wait_for(self, method):
        """Waits for an event, among those that came already too."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())

    def open(self, path, width=1280, height=900, dark=False, media=""):
        """Opens a file in a window of that size and waits until all has been drawn."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.call(
            "Emulation.setEmulatedMedia", media=media,
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.events = []
        self.call("Page.navigate", url=Path(path).resolve().as_uri())
        self.wait_for("Page.loadEventFired")
        # Two frames: what an observer of sizes does is drawn in the second.
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def run(self, expression):
        """The value of an expression in the page."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def press(self, key):
        """Presses a key on what has the focus."""
        text = {"Enter": "\r"}.get(key)
        codes = {"Enter": 13, "Tab": 9, "ArrowRight": 39, "ArrowLeft": 37, "End": 35, "Escape": 27}
        for kind in ["keyDown", "keyUp"]:
            self.call(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key,
                windowsVirtualKeyCode=codes[key], **({"text": text} if text else {}),
            )

    def complaints(self):
        """What the page has said to the console, thrown, or been refused."""
        kinds = ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"]
        return [event for event in self.events if event.get("method") in kinds]

    def requests(self):
        """The addresses that the page has asked for, itself and data in it left out."""
        urls = [
            event["params"]["request"]["url"]
            for event in self.events if event.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in urls[1:] if not url.startswith("data:")]

    def screenshot(self, path, width):
        """Writes a picture of the whole page."""
        height = self.run("document.documentElement.scrollHeight")
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
            mobile=False,
        )
        picture = self.call("Page.captureScreenshot", format="png")
        Path(path).write_bytes(base64.b64decode(picture["data"]))
