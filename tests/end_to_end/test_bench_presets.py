"""`bitune bench presets`: every preset runs by name, is verified, and leaves records, tables and plots."""

import json
import pathlib

import pytest

BENCH = ("bench", "presets", "--device", "emulated", "--against", "none", "--samples", 1)


@pytest.fixture(scope="module")
def benched(tmp_path_factory, make_bitune):
    """All presets at two sizes: the command, what it said, and its folder."""
    folder = tmp_path_factory.mktemp("benched")
    command = make_bitune(folder)
    output = command.json(*BENCH, "--sizes", "1000,10000", "--out", folder / "presets.json", "--markdown", folder / "presets.md")
    return command, output, folder


def test_every_preset_has_a_record(benched):
    _, output, _ = benched
    records = output["records"]
    assert len(records) == 21, "eleven at 1000 keys; at 10000 all but local"
    assert all(record["verified"] for record in records)
    assert "local" in output["note"] and "8192" in output["note"]
    large = ["v0", "v0-half", "v0-mirror", "v1", "v2", "v3", "hybrid-16k", "nd-128", "nd-256", "bitune"]
    assert sorted(record["preset"] for record in records if record["n"] == 10000) == sorted(large)
    for record in records:
        assert record["total_us"] > 0 and record["qsort_us"] > 0 and record["std_sort_us"] > 0 and record["peer_us"] is None
    kernels = [list(record["kernels_us"]) for record in records if record["preset"] == "v2"]
    assert kernels == [["shared_steps"], ["shared_steps", "element_step"]]
    assert [record["launches"] for record in records if record["preset"] == "v0"] == [55, 105]


def test_tables(benched):
    _, _, folder = benched
    tables = (folder / "presets.md").read_text()
    assert "### u32, n = 1000" in tables and "| v0-mirror |" in tables


def test_records_of_the_same_array_take_the_place_of_older_ones(benched, tmp_path, report, page):
    bitune, _, folder = benched
    results = tmp_path / "results" / "some-gpu"
    results.mkdir(parents=True)
    records = results / "presets.json"
    records.write_bytes((folder / "presets.json").read_bytes())
    bitune(*BENCH, "--keys", "u32,i32", "--sizes", 1000, "--presets", "v3", "--out", records)
    stored = json.loads(records.read_text())
    assert len(stored) == 22 and stored[0]["key_type"] == "i32"

    # The report: tables of totals and parts; results that are not verified are not published.
    details = page("performance-details.md")
    report("--page", details, "--results", results.parent)
    report("--check", "--page", details, "--results", results.parent)
    for text in ("### u32: totals", "| hybrid-16k |", "n = 10000, part by part", "### i32: kernels alone"):
        assert text in details.read_text()
    records.write_text(records.read_text().replace('"verified":true', '"verified":false', 1))
    assert "not verified" in report("--page", details, "--results", results.parent, code=1)


def test_records_that_are_no_list(bitune):
    pathlib.Path("broken.json").write_text('{"no": "list"}')
    bitune.refuses(1, "no list of results", *BENCH, "--sizes", 100, "--presets", "v0", "--out", "broken.json")


def test_plots(bitune):
    pytest.importorskip("matplotlib")
    bitune(*BENCH, "--sizes", "100,1000", "--presets", "v0,v3", "--plots", "plots")
    plots = pathlib.Path("plots")
    assert sorted(path.name for path in plots.iterdir()) == ["presets-u32-kernels.svg", "presets-u32-total.svg"]
    assert "<svg" in (plots / "presets-u32-total.svg").read_text()
    output = bitune(*BENCH, "--sizes", 100, "--presets", "v0", "--plots", "plots", code=1, env={"BITUNE_PYTHON": "/nowhere/python"})
    assert "need Python 3 with Matplotlib" in output.err
