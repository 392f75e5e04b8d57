"""scripts/land_records.py: new results take the place of those of the same problem."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def record(n, us, **others):
    return {"suite": "single", "peer": "cub", "key_type": "u32", "n": n, "rows": 1, "bitune_us": us, "verified": True, "device": "GPU"} | others


def land(folder, new, recorded):
    (folder / "new.json").write_text(json.dumps(new))
    (folder / "recorded.json").write_text(json.dumps(recorded))
    done = subprocess.run([sys.executable, ROOT / "scripts/land_records.py", folder / "new.json", folder / "recorded.json"], capture_output=True, text=True, check=False)
    return done, json.loads((folder / "recorded.json").read_text())


def test_what_is_there_is_replaced_and_what_is_not_comes_behind(tmp_path):
    recorded = [record(1, 10), record(2, 20), record(2, 25, distribution="sorted")]
    # What a record does not say means what is usual.
    new = [record(3, 3), record(2, 2, operation="sort", value_bytes=0, distribution="random"), record(2, 4, value_bytes=4)]
    done, records = land(tmp_path, new, recorded)
    assert done.returncode == 0 and "1 replaced, 2 added" in done.stdout
    assert records == [recorded[0], new[1], recorded[2], new[0], new[2]]


def test_nothing_that_is_not_verified_is_landed(tmp_path):
    recorded = [record(1, 10)]
    done, records = land(tmp_path, [record(1, 1), record(2, 2, verified=False)], recorded)
    assert done.returncode != 0 and "1 results are not verified" in done.stderr
    assert records == recorded


def test_nothing_alone_takes_the_place_of_what_was_compared(tmp_path):
    recorded = [record(1, 10), record(2, 20, peer="")]
    done, records = land(tmp_path, [record(1, 9, peer="")], recorded)
    assert done.returncode != 0 and "1 results stand alone" in done.stderr
    assert records == recorded
    done, records = land(tmp_path, [record(2, 19, peer=""), record(1, 9)], recorded)
    assert done.returncode == 0 and [told["bitune_us"] for told in records] == [9, 19]


def test_what_was_compared_takes_the_place_of_what_stands_alone(tmp_path):
    recorded = [record(1, 10, peer=""), record(2, 20), record(1, 11), record(3, 30, peer="")]
    done, records = land(tmp_path, [record(1, 9), record(3, 29)], recorded)
    assert done.returncode == 0 and "2 replaced, 0 added" in done.stdout
    assert [(told["n"], told["bitune_us"]) for told in records] == [(1, 9), (2, 20), (3, 29)]


def test_the_recorded_files_have_each_problem_once(tmp_path):
    for name in ("single", "rows", "pairs", "segments", "topk", "presets"):
        recorded = json.loads((ROOT / f"bench/results/nvidia-h200/{name}.json").read_text())
        done, records = land(tmp_path, [], recorded)
        assert done.returncode == 0 and records == recorded, name
