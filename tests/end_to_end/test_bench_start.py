"""`bitune bench start`: fresh processes sort from a warm kernel cache, with what was tuned, and leave records."""

import json
import pathlib

START = ("bench", "start", "--device", "emulated", "--samples", 1)


def test_records_and_the_report(bitune, report, page):
    bitune.environment["BITUNE_CACHE"] = "kernels"
    bitune.tune("--keys", "u32", "--sizes", 1000, "--budget", "2evals")
    results = pathlib.Path("results")
    stored = results / "some-gpu" / "single.json"
    stored.parent.mkdir(parents=True)
    output = bitune.json("bench", "start", "--device", "emulated", "--keys", "u32,f32", "--sizes", "300,1000", "--samples", 2, "--out", stored)
    records = output["records"]
    assert output["note"] == "" and not output["interrupted"] and len(records) == 4
    for record in records:
        assert record["suite"] == "start" and record["verified"] and record["samples"] == 2 and record["compiled_processes"] == 0
        assert record["bitune_us"] == record["first_us"] > 0 and record["second_us"] > 0
        assert record["cuda_start_us"] == 0, "the emulated device has no CUDA to start"
    assert [record["match"] for record in records if (record["key_type"], record["n"]) == ("u32", 1000)] == ["exact"]
    assert list(pathlib.Path("kernels").iterdir()), "the kernels are left in the kernel cache"

    output = bitune(*START, "--sizes", 1000).out
    assert all(word in output for word in ("second", "beyond", "from cache", "exact"))

    # Records stand in one file with comparisons of the same array, and in the report beside them.
    bitune("bench", "--device", "emulated", "--against", "none", "--keys", "u32", "--sizes", 1000, "--samples", 1, "--out", stored)
    kept = sorted((record["suite"], record["key_type"], record["n"]) for record in json.loads(stored.read_text()))
    assert kept == [("single", "u32", 1000), ("start", "f32", 300), ("start", "f32", 1000), ("start", "u32", 300), ("start", "u32", 1000)]
    details = page("performance-details.md")
    report("--page", details, "--results", results)
    assert "### The first sort of a process" in details.read_text() and "| u32 | 1000 |" in details.read_text()


def test_without_a_compiler(bitune):
    bitune.refuses(1, "no C++ compiler", *START, "--sizes", 100, env={"BITUNE_CXX": "/nowhere/g++"})


def test_without_a_kernel_cache(bitune):
    output = bitune(*START, "--sizes", 100, code=1, env={"BITUNE_CACHE": "/proc/nowhere"})
    assert "compiled the kernels" in output.err and "'/proc/nowhere' can be written" in output.err


def test_records_that_are_no_list(bitune):
    pathlib.Path("broken.json").write_text('{"no": "list"}')
    bitune.refuses(1, "no list of bench results", *START, "--sizes", 100, "--out", "broken.json")
