"""`bitune db report`: the page of real measurements."""

import pathlib

import pytest

from stored import unpack


@pytest.fixture
def report(bitune):
    """Runs `bitune db report` on the trials of an H200, with CUB's times in bench.json."""
    unpack("report_h200.db.xz", "tuning.db")
    unpack("report_h200_bench.json.xz", "bench.json")
    return lambda *arguments: bitune("db", "report", *arguments, "--db", "tuning.db")


def test_counts(report):
    told = report("report.html", "--bench", "bench.json", "--json").json
    assert told["devices"] == 1 and told["problems"] == 21 and told["comparisons"] > 20 and told["bytes"] < 500000


def test_one_key_type(report):
    assert "other.html: 1 problem on 1 device" in report("other.html", "--key", "f32").out
    page = report("-", "--key", "f32").out
    assert "<!DOCTYPE html>" in page and "</html>" in page


def test_results_of_other_devices_are_told_of(report):
    bench = pathlib.Path("bench.json")
    bench.write_text(bench.read_text().replace("NVIDIA H200", "another GPU"))
    assert "none of the" in report("other.html", "--bench", "bench.json").err
