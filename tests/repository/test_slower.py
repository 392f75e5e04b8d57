"""Where others are faster is told by scripts/gpu/slower.py: the worst first, by the faster of the others."""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def record(n, bitune_us, peer_us, **more):
    return {"operation": "argsort", "key_type": "u16", "rows": 1, "n": n, "bitune_us": bitune_us, "peer_us": peer_us, "verified": True, "match": "default",
            "configuration": "radix_pairs(radix_bits=8)"} | more


def told_of(tmp_path, records):
    path = tmp_path / "records.json"
    path.write_text(json.dumps(records))
    return subprocess.run([sys.executable, ROOT / "scripts/gpu/slower.py", path], capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_worst_comes_first_and_the_faster_of_others_counts(tmp_path):
    told = told_of(tmp_path, [record(100, 10.0, 8.0), record(200, 10.0, 9.0, torch_us=4.0, rows=3, k=7), record(300, 1.0, 9.0)])
    assert told[0] == "3 problems, 3 against CUB; slower than the faster of others: 2; wrong: 0"
    assert told[1] == "argsort u16 3 x 200, k 7: 10.0 us, torch 4.0: 2.50 times as long, default, radix_pairs"
    assert told[2] == "argsort u16 100: 10.0 us, CUB 8.0: 1.25 times as long, default, radix_pairs"


def test_what_nobody_else_sorts_is_not_slower(tmp_path):
    told = told_of(tmp_path, [record(100, 10.0, None), record(100, 10.0, None, verified=False, value_bytes=4)])
    assert told == ["2 problems, 0 against CUB; slower than the faster of others: 0; wrong: 1"]
