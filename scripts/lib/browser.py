"""Drives headless Chromium by its DevTools protocol over a pipe: the standard library is enough.

Used by the test of `bitune db report` and by the script that draws the report's picture.
"""

import base64
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find_browser():
    """The browser's executable, or None."""
    named = os.environ.get("BITUNE_BROWSER")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One browser process with a profile of its own; `with Browser() as browser:` ends it."""

    def __init__(self, timeout=240):
        self.timeout = timeout  # seconds without an answer that mean a hang, on a slow machine too
        self.profile = tempfile.TemporaryDirectory(prefix="bitune-browser-", ignore_cleanup_errors=True)
        read_commands, self.commands = os.pipe()
        self.replies, write_replies = os.pipe()
        command = [find_browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                   "--no-first-run", "--disable-background-networking", "--disable-component-update",
                   f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"]

        # The protocol's pipe is descriptor 3 (commands) and 4 (replies) of the browser.
        def place():
            os.setsid()
            os.dup2(read_commands, 20)
            os.dup2(write_replies, 21)
            os.dup2(20, 3)
            os.dup2(21, 4)

        self.process = subprocess.Popen(command, preexec_fn=place, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_replies)
        self.unread = b""
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.commands)
        os.close(self.replies)
        self.profile.cleanup()

    def _next(self, deadline):
        while b"\0" not in self.unread:
            ready, _, _ = select.select([self.replies], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.replies, 1 << 16)
            if not data:
                raise ConnectionError("the browser has ended")
            self.unread += data
        message, self.unread = self.unread.split(b"\0", 1)
        return json.loads(message)

    def send(self, method, session=None, **params):
        """Sends a command and returns its result; events that come meanwhile are kept in `events`."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        deadline = time.monotonic() + self.timeout
        while True:
            reply = self._next(deadline)
            if reply.get("id") != self.number:
                self.events.append(reply)
            elif "error" in reply:
                raise RuntimeError(f"{method}: {reply['error']['message']}")
            else:
                return reply["result"]


class Page:
    """A page with a width, as on a phone if it is narrow, and a preferred colour scheme."""

    def __init__(self, browser, width=1280, height=900, dark=False, scale=1):
        self.browser = browser
        self.target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.send("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.resize(width, height, scale)
        self.prefer("dark" if dark else "light")

    def close(self):
        self.browser.send("Target.closeTarget", targetId=self.target)

    def send(self, method, **params):
        return self.browser.send(method, session=self.session, **params)

    def resize(self, width, height, scale=1):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)

    def prefer(self, scheme):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def open(self, path, address="", until="true"):
        """Loads a file, and waits until a JavaScript expression is true on it."""
        self.send("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + address)
        deadline = time.monotonic() + self.browser.timeout
        while self.evaluate("document.readyState") != "complete" or not self.evaluate(
                f"location.protocol === 'file:' && ({until})"):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{path} does not load")
            time.sleep(0.05)

    def evaluate(self, expression):
        """The value of a JavaScript expression, awaited if it is a promise."""
        reply = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return reply["result"].get("value")

    def frame(self):
        """Waits until the page was drawn twice."""
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def screenshot(self, path, whole=False, clip=None):
        options = {"captureBeyondViewport": whole or clip is not None}
        if whole and clip is None:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"]}
        if clip:
            options["clip"] = {"scale": 1, **clip}
        data = self.send("Page.captureScreenshot", format="png", **options)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def _events(self, method):
        return [event["params"] for event in self.browser.events
                if event.get("method") == method and event.get("sessionId") == self.session]

    def complaints(self):
        """Errors and warnings of the console, exceptions, and what the browser logged."""
        texts = [event["exceptionDetails"].get("exception", {}).get("description", event["exceptionDetails"]["text"])
                 for event in self._events("Runtime.exceptionThrown")]
        texts += [str(event["args"]) for event in self._events("Runtime.consoleAPICalled") if event["type"] in ("error", "warning", "assert")]
        texts += [event["entry"]["text"] for event in self._events("Log.entryAdded") if event["entry"]["level"] in ("error", "warning")]
        return texts

    def requests(self):
        """Addresses that the page asked for, itself and data within it aside."""
        asked = [event["request"]["url"] for event in self._events("Network.requestWillBeSent") if event.get("type") != "Document"]
        return [url for url in asked if not url.startswith("data:")]
