"""The files that bitune exchanges, judged by the tools that they are for.

Kernel Tuner and autotuning_methodology load what bitune exports of the trials of an H200, and bitune imports what Kernel Tuner
writes: the latter's C backend runs for that on the CPU.
"""

import contextlib
import csv
import json
import math
import pathlib
import platform
import shutil
import sqlite3
import subprocess
import sys

import pytest

pytest.importorskip("kernel_tuner", reason="scripts/lib/requirements-exchange.txt is not installed")
pytest.importorskip("autotuning_methodology", reason="scripts/lib/requirements-exchange.txt is not installed")

import jsonschema
from autotuning_methodology.searchspace_statistics import SearchspaceStatistics
from autotuning_methodology.validators import validate_T4
from kernel_tuner import file_utils, tune_kernel
from kernel_tuner.integration import TuneResults, create_device_targets
from kernel_tuner.interface import tune_cache, tune_kernel_T1
from stored import ROOT, unpack

pytestmark = pytest.mark.filterwarnings("ignore")  # of deprecations inside the packages

WARP = "bitune_warp_u32_ascending"
PROBLEM = ["--key", "u32", "--n", "1024"]
C_KERNEL = """
extern "C" float %s() {
  #if items_per_thread == 3
  #error uses too much shared data, which Kernel Tuner takes for a configuration that does not compile
  #endif
  return 1.0f * block_size_x + items_per_thread;
}
"""


class Exchange:
    """The subcommands of `bitune db` on databases of this folder; h200.db unless told otherwise."""

    def __init__(self, bitune):
        self._bitune = bitune

    def __call__(self, *arguments, db="h200.db"):
        return self._bitune("db", *arguments, "--db", db)

    def json(self, *arguments, db="h200.db"):
        return self(*arguments, "--json", db=db).json

    def export(self, path, *arguments, db="h200.db"):
        self("export", "-o", path, *arguments, db=db)
        return pathlib.Path(path)

    def imported(self, db, *files):
        return self.json("import", *files, db=db)

    def best_measured(self, variant):
        """Median in ms, and configuration, of what bitune itself calls the best."""
        trials = self.json("trials", *PROBLEM, "--variant", variant, "--status", "ok", "--limit", "0")["trials"]
        best = min(trials, key=lambda trial: (not trial["finalist"], trial["median_us"]))
        return best["median_us"] / 1000, best["configuration"]["parameters"]


@pytest.fixture
def exchange(bitune):
    unpack("h200_u32.db.gz", "h200.db")
    return Exchange(bitune)


def close(a, b):
    return math.isclose(a, b, rel_tol=1e-12)


def test_cache_in_simulation_mode(exchange):
    path = exchange.export("warp.json", "--format", "cache", *PROBLEM, "--variant", "warp")
    text = path.read_text()
    assert text.endswith("}\n}") and text.count("\n") == len(json.loads(text)["cache"]) + 9, "one entry a line"
    results, env = tune_cache(str(path), quiet=True)
    best, configuration = exchange.best_measured("warp")
    assert len(results) == len(json.loads(text)["cache"]) == 349
    fastest = min(results, key=lambda result: result["time"])
    assert close(fastest["time"], best)
    assert {name: fastest[name] for name in configuration} == configuration
    assert env["device_name"] == "NVIDIA H200"


def test_failures_are_part_of_the_space(exchange):
    """The variant 'global' has configurations that failed, and T1 lists the condition."""
    cache = exchange.export("global.json", "--format", "cache", *PROBLEM, "--variant", "global")
    t1 = exchange.export("global_T1.json", "--format", "t1", *PROBLEM, "--variant", "global")
    document, space = json.loads(cache.read_text()), json.loads(t1.read_text())["ConfigurationSpace"]
    failed = [line for line in document["cache"].values() if isinstance(line["time"], str)]
    assert len(failed) == 5 and all(line["status"] == "spilled" for line in failed)
    best, _ = exchange.best_measured("global")
    for strategy in ("brute_force", "random_sample", "genetic_algorithm", "simulated_annealing"):
        results, _ = tune_kernel(
            document["kernel_name"], "", document["problem_size"], [], document["tune_params"], cache=str(cache),
            restrictions=[condition["Expression"] for condition in space["Conditions"]], simulation_mode=True, quiet=True,
            strategy=strategy, strategy_options={} if strategy == "brute_force" else {"max_fevals": 40})
        keys = {",".join(str(result[name]) for name in document["tune_params_keys"]) for result in results}
        assert keys <= set(document["cache"]), strategy
        assert len(keys) == len(document["cache"]) if strategy == "brute_force" else 10 <= len(keys) <= 60, (strategy, len(keys))
        times = [result["time"] for result in results if isinstance(result["time"], float)]
        assert min(times) >= best * (1 - 1e-12), strategy
    assert json.loads(cache.read_text()) == document, "a simulation changes nothing"

    example = ROOT / "examples" / "kernel_tuner_simulation.py"
    output = subprocess.run([sys.executable, example, cache, t1, "random_sample"], capture_output=True, text=True, check=True).stdout
    assert output.startswith("NVIDIA H200: 0.0") and "after 40 evaluations" in output


def test_t1(exchange):
    cache = exchange.export("warp.json", "--format", "cache", *PROBLEM, "--variant", "warp")
    path = exchange.export("warp_T1.json", "--format", "t1", *PROBLEM, "--variant", "warp")
    jsonschema.validate(json.loads(path.read_text()), file_utils.input_file_schema()[1])
    # Kernel Tuner insists that the file with the kernel is there.
    kernel = pathlib.Path(json.loads(path.read_text())["KernelSpecification"]["KernelFile"])
    kernel.parent.mkdir(parents=True)
    kernel.write_text("")
    _, results = tune_kernel_T1(path, cache_filepath=cache, simulation_mode=True)
    assert len(results["results"]) == 349


def test_t4(exchange):
    path = exchange.export("warp_T4.json", "--format", "t4", *PROBLEM, "--variant", "warp")
    document = json.loads(path.read_text())
    jsonschema.validate(document, file_utils.output_file_schema("results")[1])
    validate_T4(document)
    assert document["schema_version"] == "1.1.0" and document["metadata"]["device"] == "NVIDIA H200"
    statistics = SearchspaceStatistics("sort", "H200", True, ["compilation", "runtimes", "validation"], ["time"], path)
    best, _ = exchange.best_measured("warp")
    assert statistics.size == 349 and close(statistics.total_performance_absolute_optimum(), best)
    document = json.loads(exchange.export("global_T4.json", "--format", "t4", *PROBLEM, "--variant", "global").read_text())
    validate_T4(document)
    assert {result["invalidity"] for result in document["results"]} == {"correct", "constraints"}


def test_results_of_kernel_tuners_integration(exchange):
    path = exchange.export("results.json", "--format", "results", "--variant", "global")
    results = TuneResults(str(path))
    _, configuration = exchange.best_measured("global")
    assert results.get_best_config("NVIDIA H200", 1024)["tunable_parameters"] == configuration
    assert {row["problem_size"] for row in results.data} == {"1024", "262144"}
    create_device_targets("targets.h", str(path))
    assert "#ifdef TARGET_NVIDIA_H200" in pathlib.Path("targets.h").read_text()


def test_wisdom(exchange):
    path = exchange.export("w.wisdom", "--format", "wisdom", "--variant", "global")
    head, *lines = map(json.loads, path.read_text().splitlines())
    assert (head["version"], head["objective"], head["key"]) == ("1.0", "time", "bitune_global_u32_ascending")
    of_size = [line for line in lines if line["problem_size"] == [1024, 1, 1]]
    assert len(of_size) == 1 and of_size[0]["environment"]["device_name"] == "NVIDIA H200"
    best, configuration = exchange.best_measured("global")
    assert dict(zip(head["tunable_parameters"], of_size[0]["config"])) == configuration
    assert close(of_size[0]["time"], best)


def test_csv(exchange):
    with open(exchange.export("all.csv", "--format", "csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 525 and {row["status"] for row in rows} == {"ok", "spilled"}


def tune_on_the_cpu(cache, parameters, sizes=1024):
    results, _ = tune_kernel(WARP, C_KERNEL % WARP, sizes, [], parameters, lang="C", cache=str(cache), quiet=True)
    return results


def test_kernel_tuner_goes_on_where_a_cache_ends(exchange, monkeypatch):
    """And bitune imports what came of it."""
    path = exchange.export("open.json", "--format", "cache", "--open", *PROBLEM, "--variant", "warp")
    document = json.loads(path.read_text()[:-1] + "}}")
    parameters = {name: [document["tune_params"][name][0]] for name in document["tune_params_keys"]}
    parameters["block_size_x"] = [32, 64, 7]  # nobody has measured 7
    parameters["items_per_thread"] = [4, 8]
    parameters["steps_per_pass"] = [1, 2, 3, 4, 5]
    monkeypatch.setattr(platform, "processor", lambda: "NVIDIA H200")  # where Kernel Tuner has the name of the CPU from
    results = tune_on_the_cpu(path, parameters)
    known = [result for result in results if result["block_size_x"] != 7 and "registers" in result]
    assert known and all("registers" not in result for result in results if result["block_size_x"] == 7)
    after = json.loads(path.read_text())["cache"]
    assert len(after) == 349 + len(results) - len(known)
    assert document["cache"].items() <= after.items(), "what was measured stays as it was"

    before = exchange.json("list", *PROBLEM)["problems"][0]["best"]
    counts = exchange.imported("h200.db", path)
    assert (counts["added"], counts["skipped"]) == (len(results) - len(known), 349), counts
    after = exchange.json("list", *PROBLEM)["problems"][0]["best"]
    assert after["id"] == before["id"], "what nobody verified wins nothing"


def test_what_kernel_tuner_writes_is_imported(exchange, bitune):
    tune_on_the_cpu("written.json", {"block_size_x": [32, 64], "items_per_thread": [2, 3, 4]}, sizes=(512, 16))
    counts = exchange.imported("new.db", "written.json")
    assert (counts["added"], counts["rejected"]) == (6, 0), counts
    counts = exchange.imported("new.db", "written.json")
    assert (counts["added"], counts["skipped"]) == (0, 6), counts
    trials = exchange.json("trials", "--limit", "0", db="new.db")["trials"]
    assert sorted(trial["status"] for trial in trials) == ["compile_failed"] * 2 + ["unverified"] * 4
    assert all(trial["origin"] == "cache 'written.json'" and trial["problem"]["rows"] == 16 for trial in trials)
    exchange("check", db="new.db")
    # Another kernel's file: one sentence, and nothing changes.
    pathlib.Path("other.json").write_text(pathlib.Path("written.json").read_text().replace(WARP, "vector_add"))
    bitune.refuses(1, "vector_add", "db", "import", "other.json", "--db", "new.db")


@pytest.fixture
def few_trials(exchange):
    """measured.db: two thirds of all are left out, and nothing that the others have not: sizes, failures, finalists."""
    shutil.copy("h200.db", "measured.db")
    exchange("prune", "--status", "timed_out", "--n", "7", db="measured.db")  # brings the file to today's schema
    with contextlib.closing(sqlite3.connect("measured.db")) as db, db:
        db.execute("DELETE FROM trials WHERE configuration_id IN (SELECT id FROM configurations WHERE variant = 'warp')"
                   " AND configuration_id NOT IN (SELECT configuration_id FROM trials WHERE finalist)")
    exchange("check", db="measured.db")
    return "measured.db"


@pytest.mark.parametrize("exported", ["cache", "t4"])
def test_round_trip(exchange, few_trials, exported):
    """From one database to another and back: nothing is lost that the format can hold."""
    exchange("export", "--format", "cache", "-o", "caches/", db=few_trials)
    if exported != "cache":
        exchange("export", "--format", exported, "-o", f"{exported}s/", db=few_trials)
    # Of each configuration the finalist, where there is one.
    assert exchange.imported("other.db", *sorted(pathlib.Path(f"{exported}s").iterdir()))["added"] == 176
    exchange("export", "--format", "cache", "-o", "back/", db="other.db")
    for file in sorted(pathlib.Path("caches").iterdir()):
        first, second = (json.loads((folder / file.name).read_text()) for folder in (file.parent, pathlib.Path("back")))
        assert list(first["cache"]) == list(second["cache"])
        for key, line in first["cache"].items():
            back = second["cache"][key]
            assert back.pop("status") == {"ok": "unverified"}.get(line["status"], line["status"])
            line.pop("status")
            assert line == back
        assert first["bitune"].pop("origin") == "" != second["bitune"].pop("origin")
        assert first.pop("cache") and second.pop("cache") and first == second
    assert exchange.imported(few_trials, exchange.export("back.json", db="other.db"))["added"] == 0, "all of it is known"


def test_round_trip_of_everything(exchange, few_trials):
    exchange("export", "-o", "all.json.gz", db=few_trials)
    assert exchange.imported("other.db", "all.json.gz")["added"] == 180
    assert exchange.imported(few_trials, exchange.export("back.json", db="other.db"))["added"] == 0, "all of it is known"
