#!/usr/bin/env python3
"""Counts the lines of each room, now or at some commits side by side.

    scripts/lines_by_room.py [COMMIT...]        default: HEAD; "HEAD~100 HEAD" says what a hundred commits made of it

Lines of sources, scripts and pages, comments and empty lines too. Measured data (JSON, recorded files, drawings) and what is written
for licences are no lines of anybody.
"""

import argparse
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = {".cpp", ".hpp", ".h", ".c", ".cu", ".cuh", ".py", ".pyi", ".sh", ".js", ".css", ".html", ".cmake", ".f90", ".sql", ".md"}
ROOMS = ["include", "model", "cache", "kernels", "runtime", "measure", "tuner", "multi", "cli", "capi", "bench", "python", "examples", "tests", "scripts",
         "cmake", "docs", "(root)"]


def lines_of(commit):
    """Lines and files by room."""
    listed = subprocess.run(["git", "grep", "-I", "-c", "", commit, "--"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        sys.exit(f"lines_by_room.py: {listed.stderr.strip() or commit + ' has no files'}")
    lines, files = collections.Counter(), collections.Counter()
    for line in listed.stdout.splitlines():
        name, _, count = line.removeprefix(f"{commit}:").rpartition(":")
        path = pathlib.PurePosixPath(name)
        if path.suffix not in SOURCES and path.name != "CMakeLists.txt":
            continue
        room = path.parts[0] if len(path.parts) > 1 else "(root)"
        lines[room] += int(count)
        files[room] += 1
    return lines, files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commits", nargs="*", metavar="COMMIT", default=["HEAD"])
    commits = parser.parse_args().commits
    counted = [lines_of(commit) for commit in commits]
    there = {room for lines, _ in counted for room in lines}
    rooms = [room for room in ROOMS if room in there] + sorted(there - set(ROOMS))
    print("| room | " + " | ".join(f"lines at {commit} | files" for commit in commits) + " |")
    print("| --- |" + " ---: | ---: |" * len(commits))
    for room in rooms:
        print(f"| {room} | " + " | ".join(f"{lines[room]:,} | {files[room]:,}" for lines, files in counted) + " |")
    print("| all | " + " | ".join(f"{lines.total():,} | {files.total():,}" for lines, files in counted) + " |")


if __name__ == "__main__":
    main()
