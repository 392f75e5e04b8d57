"""What `bitune bench` records becomes tables of docs/performance-details.md, and scripts/report_performance.py notices what is not so."""

import json
import re

import pytest

BENCH = ("bench", "--device", "emulated", "--keys", "u32", "--samples", 1)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory, make_bitune):
    """Folder of results: single arrays, random and not; rows that fill the device, and few of them."""
    home = tmp_path_factory.mktemp("recorded")
    bitune = make_bitune(home)
    folder = home / "results" / "some-gpu"
    folder.mkdir(parents=True)
    for name, options in (("single", ("--sizes", "256,1000")),
                          ("single", ("--sizes", 256, "--distributions", "few_distinct")),
                          ("rows", ("--suite", "rows", "--sizes", "16,100", "--total", 800)),
                          ("rows", ("--suite", "rows", "--sizes", 16, "--rows", "1,3")),
                          ("pairs", ("--operation", "sort_pairs,argsort", "--value-bytes", 8, "--sizes", "256,1000", "--against", "host")),
                          ("pairs", ("--operation", "argsort", "--suite", "rows", "--sizes", 16, "--total", 800, "--against", "host"))):
        output = bitune.json(*BENCH, *options, "--out", folder / f"{name}.json")
        assert output["records"] and all(record["verified"] for record in output["records"])
    return folder


@pytest.fixture
def results(recorded, tmp_path):
    """A copy that the test may change."""
    copy = tmp_path / "results" / "some-gpu"
    copy.mkdir(parents=True)
    for path in recorded.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    return copy


def has_line(page, pattern):
    return re.search(f"^{pattern}", page.read_text(), re.MULTILINE) is not None


def test_tables(results, report, page):
    details = page("performance-details.md")
    arguments = ("--page", details, "--results", results.parent)
    assert "run scripts/report_performance.py" in report("--check", *arguments, code=1), "the page says something else"
    report(*arguments)
    report("--check", *arguments)
    for line in ("## emulated device: pairs$", "### u32, ascending, pairs, 8 B values$", "### u32, ascending, argsort, 4 B indices$",
                 "### u32, ascending, argsort, 4 B indices, rows of about 800 keys in all$", r"\| n \| bitune \| Gkeys/s \| stable sort \|",
                 r"\| 1000 \|", r"\| 2\^8 \|", "### u32, ascending, keys that are not random$", r"\| few distinct \| 2\^8 \|",
                 "### u32, ascending, rows of about 800 keys in all", r"\| 100 \| 8 \|", "### u32, ascending, small batches",
                 r"\| 16 \| 3 \|"):
        assert has_line(details, line), line


def test_time_as_a_graph_has_a_column_where_a_record_has_it(results, report, page):
    details = page("performance-details.md")
    arguments = ("--page", details, "--results", results.parent)
    report(*arguments)
    assert "as graph node" not in details.read_text(), "there is a column for what nobody measured"
    path = results / "single.json"
    records = json.loads(path.read_text())
    next(record for record in records if (record["distribution"], record["n"]) == ("random", 256))["graph_us"] = 1.625
    path.write_text(json.dumps(records))
    report(*arguments)
    for line in (r"\| n \| bitune \| as graph node \| Gkeys/s \|", r"\| 2\^8 \| [0-9.]* \| 1.62 \| ", r"\| 1000 \| [0-9.]* \| – \| "):
        assert has_line(details, line), line


def test_short_page_names_the_suites_and_no_ratio_to_what_did_not_run(results, report, page):
    (results / "pairs.json").unlink()
    summary = page("performance.md")
    report("--page", summary, "--results", results.parent)
    told = summary.read_text()
    assert has_line(summary, "## emulated device$")
    assert "times as fast as CUB" not in told[told.index("begin: generated"):]


def test_short_pages_have_pairs_and_argsort(results, report, page):
    path = results / "pairs.json"
    records = json.loads(path.read_text())
    for record in records:
        assert record["peer"] == "host" and record["ratio"] > 0
        record["ratio"] = 1.5
        if record["operation"] == "argsort":
            record |= {"torch_us": 3 * record["bitune_us"], "torch_bytes": 24 * record["keys"], "workspace_bytes": 8 * record["keys"]}
    path.write_text(json.dumps(records))
    summary, readme = page("performance.md"), page("../README.md")
    assert "pairs-ratio.svg does not show" in report("--page", summary, "--results", results.parent, code=1)
    for line in ("### One array of pairs, and argsort$", "### Many rows of pairs, and argsort of rows$",
                 r"\| pairs, 8 B values \| u32 \| 2\^8 to 1000 \| 2 of 2 \| 1.50 \| \*\*1.50\*\* \| 1.50 \|$",
                 r"\| n \| u32: pairs, 8 B values \| u32: argsort, 4 B indices \|$", r"\| 1000 \| [0-9.]* \(1.50\) \| [0-9.]* \(1.50\) \|$",
                 r"\| argsort, 4 B indices \| u32 \| 2 of 2 \| 3.00 \| \*\*3.00\*\* \| 50 % of torch's \|$"):
        assert has_line(summary, line), line
    report("--page", readme, "--results", results.parent)
    assert has_line(readme, r"- \*\*Pairs and argsort, one array\*\* of random keys, emulated device: faster than CUB .*in 4 of 4 cases")


def test_what_is_not_verified_is_not_published(results, report, page):
    path = results / "single.json"
    path.write_text(path.read_text().replace('"verified":true', '"verified":false'))
    assert "not verified" in report("--page", page("performance-details.md"), "--results", results.parent, code=1)
