"""What the end-to-end tests share: the executable, with a folder and a home of its own for each test.

$BITUNE names the executable. Nothing waits for a time: CTest ends what hangs.
"""

import dataclasses
import json
import os
import pathlib
import pty
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent


@dataclasses.dataclass
class Output:
    """What a process printed."""

    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


class Session:
    """A process whose standard error is a terminal, where it shows its progress."""

    def __init__(self, command, environment):
        self._terminal, slave = pty.openpty()
        try:
            self._process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=slave, text=True)
        finally:
            os.close(slave)
        self._shown = b""

    def _read(self):
        """Reads on; False once the process has closed its terminal."""
        try:
            piece = os.read(self._terminal, 4096)
        except OSError:  # the other side is closed
            return False
        self._shown += piece
        return piece != b""

    def await_evaluations(self, count):
        """Reads its progress until it has evaluated so many configurations."""
        while True:
            counts = re.findall(rb"\] (\d+)/\d+", self._shown)
            if counts and int(counts[-1]) >= count:
                return
            assert self._read(), f"the session ended before {count} evaluations: {self._shown.decode()}"

    def end(self, *signals):
        """Sends the signals; returns the exit code, as Python has it, and the output."""
        for signal in signals:
            self._process.send_signal(signal)
        while self._read():
            pass
        os.close(self._terminal)
        out, _ = self._process.communicate()
        return self._process.returncode, Output(out, self._shown.decode())


class Bitune:
    """The command in an environment of its own."""

    def __init__(self, home):
        self.executable = pathlib.Path(os.environ["BITUNE"]).resolve()
        left_out = ("BITUNE_DB", "BITUNE_SHIPPED_DB", "COLUMNS", "NO_COLOR")
        self.environment = {name: value for name, value in os.environ.items() if name not in left_out}
        # Compiled kernels are shared by all tests: to compile them is most of what they would do.
        kernels = pathlib.Path(os.environ.get("XDG_CACHE_HOME", home)) / "plain_kernels"
        self.environment |= {"BITUNE_CACHE": str(kernels), "XDG_DATA_HOME": str(home / "data"), "XDG_CACHE_HOME": str(home / "cache"), "HOME": str(home), "TERM": "xterm",
                             "CXX": os.environ.get("BITUNE_CXX", os.environ.get("CXX", "c++")), "BITUNE_CXX": str(HERE / "plain_cxx.sh"),
                             "BITUNE_PYTHON": sys.executable}
        self.database = home / "data" / "bitune" / "tuning.db"

    def command(self, *arguments):
        return [str(self.executable), *map(str, arguments)]

    def start(self, *arguments, **options):
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": self.environment} | options
        return subprocess.Popen(self.command(*arguments), **options)

    def session(self, *arguments):
        return Session(self.command(*arguments), self.environment)

    def __call__(self, *arguments, code=0, env=None):
        """Runs the command, which ends with that code; returns its output."""
        done = subprocess.run(self.command(*arguments), env=self.environment | (env or {}), capture_output=True, text=True)
        assert done.returncode == code, f"exit code {done.returncode} of {arguments}\n{done.stdout}\n{done.stderr}"
        return Output(done.stdout, done.stderr)

    def json(self, *arguments, code=0, env=None):
        return self(*arguments, "--json", code=code, env=env).json

    def sort(self, *arguments, stdin=None):
        """Sorts on the emulated device; returns standard output as bytes."""
        done = subprocess.run(self.command("sort", "--device", "emulated", *arguments), env=self.environment, input=stdin,
                              capture_output=True)
        assert done.returncode == 0, (arguments, done.stderr.decode())
        return done.stdout

    def refuses(self, code, text, *arguments, env=None):
        """The command ends with that code and one sentence on standard error that has the text."""
        output = self(*arguments, code=code, env=env)
        assert text in output.err and output.err.startswith("bitune: ") and output.err.count("\n") == 1, output.err
        assert output.out == ""

    def tune(self, *arguments):
        """A session of few evaluations on the emulated device."""
        return self("tune", "--device", "emulated", "--samples", 3, "--finalists", 2, *arguments, "--json")


@pytest.fixture
def bitune(tmp_path, monkeypatch):
    """The command, with the test's own folder as its home and working directory."""
    monkeypatch.chdir(tmp_path)
    return Bitune(tmp_path / "home")


@pytest.fixture(scope="session")
def make_bitune():
    """Makes the command with this folder as its home, for what several tests of a file share."""
    return Bitune


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """The command after a session of 16 evaluations, for the tests of one file that change nothing; `tuned.session` is what the
    session said."""
    command = Bitune(tmp_path_factory.mktemp("tuned"))
    command.session = command.tune("--keys", "u32,f32", "--sizes", "300,500", "--budget", "16evals")
    return command
