"""The files that bitune exchanges, judged by the tools that they are for.

    exchange.py BITUNE DATABASE     in an empty folder

DATABASE holds trials of an H200 (tests/data/h200_u32.db.gz). Kernel Tuner loads what bitune exports, and bitune imports what
Kernel Tuner writes: the latter's C backend runs for that on the CPU.
"""

import contextlib
import csv
import json
import math
import pathlib
import platform
import sqlite3
import subprocess
import sys
import warnings

import jsonschema

warnings.simplefilter("ignore")  # of deprecations inside the packages
from autotuning_methodology.searchspace_statistics import SearchspaceStatistics
from autotuning_methodology.validators import validate_T4
from kernel_tuner import file_utils, tune_kernel
from kernel_tuner.integration import TuneResults, create_device_targets
from kernel_tuner.interface import tune_cache, tune_kernel_T1

bitune, database = sys.argv[1:]
WARP = "bitune_warp_u32_ascending"
PROBLEM = ["--key", "u32", "--n", "1024"]


def run(*arguments, db=database, rc=0):
    done = subprocess.run([bitune, "db", *map(str, arguments), "--db", str(db)], capture_output=True, text=True)
    assert done.returncode == rc, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout if rc == 0 else done.stderr


def export(path, *arguments, db=database):
    run("export", "-o", path, *arguments, db=db)
    return pathlib.Path(path)


def imported(db, *files):
    return json.loads(run("import", *files, "--json", db=db))


def valid_times(results):
    return [result["time"] for result in results if isinstance(result["time"], float)]


def best_measured(variant):
    """Median in ms, and configuration, of what bitune itself calls the best."""
    trials = json.loads(run("trials", *PROBLEM, "--variant", variant, "--status", "ok", "--limit", "0", "--json"))["trials"]
    best = min(trials, key=lambda trial: (not trial["finalist"], trial["median_us"]))
    return best["median_us"] / 1000, best["configuration"]["parameters"]


def simulate():
    """Simulation mode: the cache by itself, and with the condition that the T1 file lists."""
    path = export("warp.json", "--format", "cache", *PROBLEM, "--variant", "warp")
    text = path.read_text()
    assert text.endswith("}\n}") and text.count("\n") == len(json.loads(text)["cache"]) + 9, "one entry a line"
    results, env = tune_cache(str(path), quiet=True)
    best, configuration = best_measured("warp")
    assert len(results) == len(json.loads(text)["cache"]) == 349
    fastest = min(results, key=lambda result: result["time"])
    assert math.isclose(fastest["time"], best, rel_tol=1e-12), (fastest["time"], best)
    assert {name: fastest[name] for name in configuration} == configuration
    assert env["device_name"] == "NVIDIA H200"

    # The variant 'global' has configurations that failed: they are part of the space, and T1 lists them.
    cache = export("global.json", "--format", "cache", *PROBLEM, "--variant", "global")
    t1 = export("global_T1.json", "--format", "t1", *PROBLEM, "--variant", "global")
    document, space = json.loads(cache.read_text()), json.loads(t1.read_text())["ConfigurationSpace"]
    failed = sum(isinstance(line["time"], str) for line in document["cache"].values())
    assert failed == 5 and all(line["status"] == "spilled" for line in document["cache"].values() if isinstance(line["time"], str))
    best, _ = best_measured("global")
    for strategy in ("brute_force", "random_sample", "genetic_algorithm", "simulated_annealing"):
        results, _ = tune_kernel(
            document["kernel_name"], "", document["problem_size"], [], document["tune_params"], cache=str(cache),
            restrictions=[condition["Expression"] for condition in space["Conditions"]], simulation_mode=True, quiet=True,
            strategy=strategy, strategy_options={} if strategy == "brute_force" else {"max_fevals": 40})
        keys = {",".join(str(result[name]) for name in document["tune_params_keys"]) for result in results}
        assert keys <= set(document["cache"]), strategy
        assert len(keys) == len(document["cache"]) if strategy == "brute_force" else 10 <= len(keys) <= 60, (strategy, len(keys))
        assert min(valid_times(results)) >= best * (1 - 1e-12), strategy
    assert json.loads(cache.read_text()) == document, "a simulation changes nothing"

    example = pathlib.Path(__file__).parents[2] / "examples" / "kernel_tuner_simulation.py"
    said = subprocess.run([sys.executable, example, cache, t1, "random_sample"], capture_output=True, text=True, check=True).stdout
    assert said.startswith("NVIDIA H200: 0.0") and "after 40 evaluations" in said, said


def read_t1_and_t4():
    path = export("warp_T1.json", "--format", "t1", *PROBLEM, "--variant", "warp")
    jsonschema.validate(json.loads(path.read_text()), file_utils.input_file_schema()[1])
    # Kernel Tuner insists that the file with the kernel is there.
    kernel = pathlib.Path(json.loads(path.read_text())["KernelSpecification"]["KernelFile"])
    kernel.parent.mkdir()
    kernel.write_text("")
    _, results = tune_kernel_T1(path, cache_filepath=pathlib.Path("warp.json"), simulation_mode=True)
    assert len(results["results"]) == 349

    path = export("warp_T4.json", "--format", "t4", *PROBLEM, "--variant", "warp")
    document = json.loads(path.read_text())
    jsonschema.validate(document, file_utils.output_file_schema("results")[1])
    validate_T4(document)
    assert document["schema_version"] == "1.1.0" and document["metadata"]["device"] == "NVIDIA H200"
    statistics = SearchspaceStatistics("sort", "H200", True, ["compilation", "runtimes", "validation"], ["time"], path)
    best, _ = best_measured("warp")
    assert statistics.size == 349 and math.isclose(statistics.total_performance_absolute_optimum(), best, rel_tol=1e-12)
    document = json.loads(export("global_T4.json", "--format", "t4", *PROBLEM, "--variant", "global").read_text())
    validate_T4(document)
    assert {result["invalidity"] for result in document["results"]} == {"correct", "constraints"}


def read_results_and_wisdom():
    path = export("results.json", "--format", "results", "--variant", "global")
    results = TuneResults(str(path))
    best, configuration = best_measured("global")
    found = results.get_best_config("NVIDIA H200", 1024)
    assert found["tunable_parameters"] == configuration
    assert {row["problem_size"] for row in results.data} == {"1024", "262144"}
    create_device_targets("targets.h", str(path))
    assert "#ifdef TARGET_NVIDIA_H200" in pathlib.Path("targets.h").read_text()

    head, *lines = map(json.loads, export("w.wisdom", "--format", "wisdom", "--variant", "global").read_text().splitlines())
    assert (head["version"], head["objective"], head["key"]) == ("1.0", "time", "bitune_global_u32_ascending")
    of_size = [line for line in lines if line["problem_size"] == [1024, 1, 1]]
    assert len(of_size) == 1 and of_size[0]["environment"]["device_name"] == "NVIDIA H200"
    assert dict(zip(head["tunable_parameters"], of_size[0]["config"])) == configuration
    assert math.isclose(of_size[0]["time"], best, rel_tol=1e-12)

    with open(export("all.csv", "--format", "csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 525 and {row["status"] for row in rows} == {"ok", "spilled"}


C_KERNEL = """
extern "C" float %s() {
  #if items_per_thread == 3
  #error uses too much shared data, which Kernel Tuner takes for a configuration that does not compile
  #endif
  return 1.0f * block_size_x + items_per_thread;
}
"""


def tune_on_the_cpu(cache, parameters, sizes=1024, **options):
    results, _ = tune_kernel(WARP, C_KERNEL % WARP, sizes, [], parameters, lang="C", cache=str(cache), quiet=True, **options)
    return results


def resume():
    """Kernel Tuner goes on where an exported cache ends, and bitune imports what came of it."""
    path = export("open.json", "--format", "cache", "--open", *PROBLEM, "--variant", "warp")
    document = json.loads(path.read_text()[:-1] + "}}")
    parameters = {name: [document["tune_params"][name][0]] for name in document["tune_params_keys"]}
    parameters["block_size_x"] = [32, 64, 7]  # nobody has measured 7
    parameters["items_per_thread"] = [4, 8]
    parameters["steps_per_pass"] = [1, 2, 3, 4, 5]
    platform.processor = lambda: "NVIDIA H200"  # where Kernel Tuner has the name of the CPU from
    results = tune_on_the_cpu(path, parameters)
    known = [result for result in results if result["block_size_x"] != 7 and "registers" in result]
    assert known and all("registers" not in result for result in results if result["block_size_x"] == 7)
    after = json.loads(path.read_text())["cache"]
    assert len(after) == 349 + len(results) - len(known)
    assert document["cache"].items() <= after.items(), "what was measured stays as it was"

    before = json.loads(run("list", *PROBLEM, "--json"))["problems"][0]["best"]
    counts = imported(database, path)
    assert (counts["added"], counts["skipped"]) == (len(results) - len(known), 349), counts
    after = json.loads(run("list", *PROBLEM, "--json"))["problems"][0]["best"]
    assert after["id"] == before["id"], "what nobody verified wins nothing"


def import_from_kernel_tuner():
    parameters = {"block_size_x": [32, 64], "items_per_thread": [2, 3, 4]}
    tune_on_the_cpu("written.json", parameters, sizes=(512, 16))
    counts = imported("new.db", "written.json")
    assert (counts["added"], counts["rejected"]) == (6, 0), counts
    counts = imported("new.db", "written.json")
    assert (counts["added"], counts["skipped"]) == (0, 6), counts
    trials = json.loads(run("trials", "--limit", "0", "--json", db="new.db"))["trials"]
    assert sorted(trial["status"] for trial in trials) == ["compile_failed"] * 2 + ["unverified"] * 4
    assert all(trial["origin"] == "cache 'written.json'" and trial["problem"]["rows"] == 16 for trial in trials)
    run("check", db="new.db")
    # Another kernel's file: one sentence, and nothing changes.
    text = pathlib.Path("written.json").read_text().replace(WARP, "vector_add")
    pathlib.Path("other.json").write_text(text)
    sentence = run("import", "other.json", db="new.db", rc=1)
    assert "vector_add" in sentence and sentence.count("\n") == 1, sentence


def round_trips():
    """From one database to another and back: nothing is lost that the format can hold."""
    # Two thirds of all are left out, and nothing that the others have not: sizes, failures, finalists.
    with contextlib.closing(sqlite3.connect("measured.db")) as db, db:
        db.execute("DELETE FROM trials WHERE configuration_id IN (SELECT id FROM configurations WHERE variant = 'warp')"
                   " AND configuration_id NOT IN (SELECT configuration_id FROM trials WHERE finalist)")
    run("check", db="measured.db")
    all_problems = ("--format", "cache", "-o", "caches/")
    for options in (all_problems, ("--format", "t4", "-o", "t4s/"), ("-o", "all.json.gz")):
        run("export", *options, db="measured.db")
    for name, files in (("a.db", sorted(pathlib.Path("caches").iterdir())), ("b.db", sorted(pathlib.Path("t4s").iterdir()))):
        assert imported(name, *files)["added"] == 176  # of each configuration the finalist, where there is one
        run("export", *all_problems[:2], "-o", name + "-caches/", db=name)
        for file in sorted(pathlib.Path("caches").iterdir()):
            first, second = (json.loads((folder / file.name).read_text()) for folder in (file.parent, pathlib.Path(name + "-caches")))
            assert list(first["cache"]) == list(second["cache"])
            for key, line in first["cache"].items():
                back = second["cache"][key]
                assert back.pop("status") == {"ok": "unverified"}.get(line["status"], line["status"])
                line.pop("status")
                assert line == back, (line, back)
            assert first["bitune"].pop("origin") == "" != second["bitune"].pop("origin")
            assert first.pop("cache") and second.pop("cache") and first == second
    assert imported("c.db", "all.json.gz")["added"] == 180
    for db in ("a.db", "b.db", "c.db"):
        assert imported("measured.db", export("back.json", db=db))["added"] == 0, "all of it is known"


run("prune", "--status", "timed_out", "--n", "7")  # brings the file to today's schema
pathlib.Path("measured.db").write_bytes(pathlib.Path(database).read_bytes())
simulate()
read_t1_and_t4()
read_results_and_wisdom()
resume()
import_from_kernel_tuner()
round_trips()
print("exchange: all that Kernel Tuner and autotuning_methodology were asked to read, they read")
