"""What a run of scripts/gpu/trust.sh left behind is counted as it was, and told on the page."""

import json
import pathlib
import sqlite3
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def script(name, *arguments):
    return subprocess.run([sys.executable, ROOT / name, *map(str, arguments)], capture_output=True, text=True, check=False)


def leave_log(folder, name, summary, ends):
    (folder / f"{name}.log").write_text(f"========= COMPUTE-SANITIZER\n{summary}\n")
    with sqlite3.connect(folder / f"{name}.db") as db:
        db.executescript("""CREATE TABLE problems (id INTEGER, operation TEXT);
                            CREATE TABLE series (id INTEGER, problem_id INTEGER);
                            CREATE TABLE configurations (id INTEGER, text TEXT);
                            CREATE TABLE trials (series_id INTEGER, configuration_id INTEGER, status TEXT);
                            INSERT INTO problems VALUES (1, 'sort');
                            INSERT INTO series VALUES (1, 1);""")
        db.execute("INSERT INTO configurations VALUES (1, ?), (2, 'of_another(x=1)')", [f"{name.split('-')[1]}(x=1)"])
        db.executemany("INSERT INTO trials VALUES (1, 1, ?)", [(end,) for end in ends])
        db.execute("INSERT INTO trials VALUES (1, 2, 'ok')")
    db.close()


def races_of(kernel, arguments=""):
    return f"""========= Error: Race reported between Read access at void bitune::{kernel}<bitune::Codec<(int)4>{arguments}>(unsigned int *)+0x10
========= RACECHECK SUMMARY: 7 hazards displayed (7 errors, 0 warnings)"""


def leave_tests(folder, name, *tests):
    (folder / f"{name}.log").write_text("")
    (folder / f"{name}.json").write_text(json.dumps({"testsuites": [{"name": "Suite", "testsuite": list(tests)}]}))


def counted(folder, steps):
    ended = script("scripts/lib/trust_record.py", folder, steps)
    return ended, json.loads((folder / "trust.json").read_text())


def test_all_is_right(tmp_path):
    (tmp_path / "devices.txt").write_text("device  name  memory\n0       NVIDIA H200  139 GiB\n")
    leave_log(tmp_path, "memcheck-warp", "========= ERROR SUMMARY: 0 errors", ["ok", "ok", "spilled"])
    leave_log(tmp_path, "racecheck-multiway", races_of("place_multiway_sort"), ["ok"])
    leave_log(tmp_path, "racecheck-segments", races_of("digit_segments", ", bitune::NoPayload, (int)0, (int)4, (bool)1, (int)512, (int)32, (int)8, (int)2"), ["ok"])
    leave_log(tmp_path, "racecheck-digit_rows",
              races_of("digit_rows", ", bitune::NoPayload, (bitune::PlacedForm)1, (int)0, (int)4, (int)1024, (int)8, (int)8, (int)8, (int)1"), ["ok"])
    leave_tests(tmp_path, "memory-0", {"name": "A", "result": "COMPLETED", "allocations_failed": "31"}, {"name": "B", "result": "SKIPPED"})
    (tmp_path / "soak").mkdir()
    (tmp_path / "soak/soak.json").write_text(json.dumps({"right": 50, "refused": 1, "faults": 0, "keys": 1000, "seconds": 2.5}))
    ended, record = counted(tmp_path, "memcheck racecheck memory soak")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert record["device"] == "NVIDIA H200"
    steps = record["steps"]
    assert steps["memcheck"]["warp"] == {"verified": 2, "wrong": 0, "operations": ["sort"], "reports": 0, "known": False}
    assert steps["racecheck"]["multiway"]["reports"] == 7
    assert steps["racecheck"]["segments"]["known"]
    assert steps["racecheck"]["digit_rows"]["known"]
    assert (steps["memory"]["passed"], steps["memory"]["skipped"], steps["memory"]["allocations_failed"]) == (1, 1, 31)

    page, known = tmp_path / "page.md", tmp_path / "record.json"
    page.write_text((ROOT / "docs/reliability.md").read_text())
    known.write_text((ROOT / "docs/reliability.json").read_text())
    told = script("scripts/report_reliability.py", "--page", page, "--record", known, "--add", tmp_path / "trust.json")
    assert told.returncode == 0, told.stderr
    soaks = json.loads(known.read_text())["gpu"]["soak"]["told"]
    assert soaks["NVIDIA H200"]["right"] == 50
    assert len(soaks) > 1, "what another GPU counted stays"
    assert "| `warp` | 2, none |" in page.read_text()
    assert "NVIDIA H200" in page.read_text()


def test_faults_are_told(tmp_path):
    leave_log(tmp_path, "memcheck-warp", "========= ERROR SUMMARY: 2 errors", ["ok"])
    leave_log(tmp_path, "initcheck-warp", "========= ERROR SUMMARY: 0 errors", ["ok", "wrong_result"])
    leave_log(tmp_path, "racecheck-warp", races_of("row_sort"), ["ok"])
    leave_log(tmp_path, "racecheck-rows", races_of("digit_row_sort", ", bitune::NoPayload, (int)0, (int)4, (bool)1, (int)256, (int)32, (int)8, (int)2"), ["ok"])
    leave_log(tmp_path, "synccheck-warp", "it was cut off", ["ok"])
    leave_tests(tmp_path, "chains-0", {"name": "A", "result": "COMPLETED", "failures": [{"failure": "wrong"}]})
    (tmp_path / "contexts-0.log").write_text("Segmentation fault")
    steps = "memcheck initcheck racecheck synccheck chains contexts soak"
    ended, record = counted(tmp_path, steps)
    assert ended.returncode == 1
    assert ended.stdout.count("FAULTS") == len(steps.split()), ended.stdout
    assert record["steps"]["chains"]["failures"] == ["Suite.A"]
    assert record["steps"]["contexts"]["processes_died"] == 1
