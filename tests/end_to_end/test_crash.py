"""Commands that write files are killed, and their disk is full, at some of their writes; scripts/campaign/crash.py by hand does so at all."""

import os
import pathlib
import re
import subprocess
import sys

CRASH = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "campaign" / "crash.py"


def test_what_is_left_is_old_or_whole(tmp_path):
    build = pathlib.Path(os.environ["BITUNE"]).parents[1]
    ended = subprocess.run(
        [sys.executable, CRASH, "--build", build, "--every", "31", "sort -o", "db merge"],
        env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    broken = re.findall(r"^(sort -o|db merge), (kill|disk full|read-only|broken disk): [1-9]\d* times, 0 with a fault", ended.stdout, re.MULTILINE)
    assert len(broken) == 8, ended.stdout
    assert not list(tmp_path.iterdir())
