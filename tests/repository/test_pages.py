"""The pages and charts say what bench/results records, and the scripts notice when they do not."""

import pathlib
import re
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "bench" / "results"


def test_pages_say_what_is_recorded(report, script):
    report("--check")
    script("scripts/compare_strategies.py", "--check")
    script("scripts/report_reliability.py", "--check")


def test_page_of_the_campaigns_that_says_something_else(page, script):
    reliability = page("reliability.md")
    reliability.write_text(re.sub(r"^\| `npy` .*", "| changed |", reliability.read_text(), flags=re.MULTILINE))
    assert "run scripts/report_reliability.py" in script("scripts/report_reliability.py", "--check", "--page", reliability, code=1)


def test_page_that_says_something_else(page, script):
    tuning = page("tuning.md")
    tuning.write_text(re.sub(r"^\| `random` .*", "| changed |", tuning.read_text(), flags=re.MULTILINE))
    output = script("scripts/compare_strategies.py", "--check", "--page", tuning, code=1)
    assert "run scripts/compare_strategies.py --report" in output


def test_page_of_the_tuner(page, report, tmp_path):
    sessions = tmp_path / "results" / "some-gpu"
    sessions.mkdir(parents=True)
    [recorded] = RESULTS.glob("*/tuner.json")
    shutil.copy(recorded, sessions)
    tuning = page("tuning.md")
    arguments = ("--page", tuning, "--results", sessions.parent)
    report(*arguments)
    told = tuning.read_text()
    assert re.search(r"^\| `tune --seed [0-9]*` \|", told, re.MULTILINE)
    line = re.compile(r"^\| u32 \| 2\^10 \|.*", re.MULTILINE)
    assert line.search(told)
    tuning.write_text(line.sub("| changed |", told))
    assert "tuning.md does not say" in report("--check", *arguments, code=1)


def test_page_without_marks_has_no_place_for_what_is_generated(report, tmp_path):
    unmarked = tmp_path / "unmarked.md"
    unmarked.write_text("# Nothing\n")
    assert "has no mark of a generated part" in report("--page", unmarked, code=1)


def test_chart_that_shows_something_else_is_told_of_and_drawn_again(page, report, script, tmp_path):
    drawn = tmp_path / "drawn"
    shutil.copytree(RESULTS, drawn)
    arguments = ("--page", page("performance.md"), "--results", drawn)
    report("--check", *arguments)
    records = drawn / "nvidia-h200" / "single.json"
    records.write_text(re.sub(r'"ratio":[0-9.]*', '"ratio":9.5', records.read_text(), count=1))
    assert re.search(r"single-ratio\.svg does not show .* run scripts/draw_performance\.py", report(*arguments, code=1))
    pytest.importorskip("matplotlib")
    script("scripts/draw_performance.py", "--results", drawn)
    report("--check", *arguments)
