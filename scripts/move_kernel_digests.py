#!/usr/bin/env python3
"""Proves that a change of kernels/ left the machine code as it was, and carries tunings over such a change.

In the tree before the change, and again in the tree after it (each takes some minutes, and needs NVRTC but no GPU):

    cmake --build build/debug --target kernel_code
    build/debug/bin/kernel_code data/tunings.db bench/results/*/{single,rows,presets}.json > LIST

The two lists name every kernel that these tunings and records need. Give both runs the files of the tree before the change. `--variants NAME,...`
lists those of some variants alone, which takes less time; no other variant moves then.
Then:

    scripts/move_kernel_digests.py compare BEFORE AFTER
        prints what differs; ends with 1 if anything does

    scripts/move_kernel_digests.py move BEFORE AFTER data/tunings.db bench/results/*/{single,rows}.json
        writes the new digest for the old one in these files, and prints the pairs for cache/database/kernel_digest_moves.cpp;
        a variant moves only if every kernel of it is proven equal

With --any-launch-order two kernels are equal, too, if they differ only in which comes first at their beginning: waiting for the launch before,
or letting the next launch begin. The compiler moves some instructions around these two. So up to the next but one multiple of 64 instructions only
what they do is compared, and all behind that as it is.

Machine code is what the .text sections of a cubin hold, with constants, shared memory, registers and barriers. Names are left
out: a kernel may be called otherwise, or lie in another header. So are variables, which no kernel of bitune reads.
"""

import argparse
import collections
import json
import pathlib
import re
import sqlite3
import sys

Kernel = collections.namedtuple("Kernel", "code any_launch_order bytes registers header name")


class List:
    """What kernel_code wrote: versions of variants, and the kernels of each case."""

    def __init__(self, path):
        self.versions = {}
        self.kernels = {}  # by (variant, problem, configuration, launch of the plan)
        self.refused = {}  # by (variant, problem, configuration)
        for line in path.read_text().splitlines():
            kind, *fields = line.split("\t")
            if kind == "version":
                self.versions[fields[0]] = fields[1]
            elif kind == "refused":
                self.refused[tuple(fields[:3])] = fields[3]
            else:
                self.kernels[tuple(fields[:4])] = Kernel(*fields[4:])
        if not self.versions or not self.kernels:
            raise SystemExit(f"{path}: no list of kernel_code")


def are_equal(old, new, any_order):
    if "not compiled" in (old.code, new.code):
        return False
    return old.code == new.code or (any_order and old.any_launch_order == new.any_launch_order)


def differences(before, after, any_order):
    """Sentences by variant. A case that neither tree can plan is no difference."""
    found = collections.defaultdict(list)
    compiled = set()  # what several cases share is told once
    for case in sorted(before.kernels.keys() | after.kernels.keys()):
        variant, problem, configuration, _ = case
        old, new = before.kernels.get(case), after.kernels.get(case)
        where = f"{problem}, {configuration}"
        if old is None or new is None:
            which, there = ("before", old) if new is None else ("after", new)
            why = (before if old is None else after).refused.get(case[:3], "its plan has another number of launches")
            found[variant].append(f"only {which}: {there.name} of {there.header} ({where}): {why}")
        elif not are_equal(old, new, any_order) and (old, new) not in compiled:
            compiled.add((old, new))
            renamed = f", now {new.name} of {new.header}" if (old.name, old.header) != (new.name, new.header) else ""
            found[variant].append(f"{old.name} of {old.header}{renamed}: {old.bytes} bytes and {old.registers} registers before, "
                                  f"{new.bytes} and {new.registers} after ({where})")
    return found


def proven(before, after, any_order):
    """Old digest -> new digest of each variant that has kernels in the lists, all of them equal."""
    found = differences(before, after, any_order)
    listed = {case[0] for case in before.kernels}
    return {version: after.versions[variant] for variant, version in before.versions.items()
            if variant in listed and variant not in found and variant in after.versions}


def compare(before, after, any_order):
    found = differences(before, after, any_order)
    for variant in sorted(found):
        for sentence in found[variant]:
            print(f"{variant}: {sentence}")
    listed = collections.Counter(case[0] for case in before.kernels)
    for variant in before.versions:
        digest = "" if before.versions[variant] == after.versions.get(variant) else ", another digest"
        print(f"{variant}: {listed[variant]} kernels, {len(found.get(variant, []))} differences{digest}")
    return 1 if found else 0


def move_database(path, moves):
    database = sqlite3.connect(path)
    digests = {digest for (digest,) in database.execute("SELECT digest FROM kernels")}
    if any(old != new and old in digests and new in digests for old, new in moves.items()):
        sys.exit(f"{path} has trials of both digests: a bitune that knows these pairs joins them when it writes to the file (bitune db merge)")
    with database:
        moved = sum(database.execute("UPDATE kernels SET digest = ? WHERE digest = ?", (new, old)).rowcount for old, new in moves.items())
    database.close()
    return moved


def move_records(path, moves):
    """Only the digests change: the file stays as it is written."""
    text = path.read_text()
    json.loads(text)
    moved = 0

    def replaced(match):
        nonlocal moved
        new = moves.get(match[2], match[2])
        moved += new != match[2]
        return match[1] + new + '"'

    path.write_text(re.sub(r'("kernel": ?")([0-9a-f]{32})"', replaced, text))
    return moved


def move(before, after, any_order, files):
    moves = proven(before, after, any_order)
    for variant, old in before.versions.items():
        if moves.get(old) == old:
            continue
        if old in moves:
            print(f'    {{"{old}", "{moves[old]}"}},  // {variant}')
        else:
            print(f"{variant} does not move: not every kernel is proven equal, or there is none", file=sys.stderr)
    for path in files:
        moved = (move_records if path.suffix == ".json" else move_database)(path, moves)
        print(f"{path}: {moved} digests moved", file=sys.stderr)
    return 0 if len(moves) == len(before.versions) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["compare", "move"])
    parser.add_argument("before", type=pathlib.Path, help="what kernel_code wrote in the tree before the change")
    parser.add_argument("after", type=pathlib.Path, help="what it wrote in the tree after it")
    parser.add_argument("files", type=pathlib.Path, nargs="*", help="databases and records to rewrite (move only)")
    parser.add_argument("--any-launch-order", action="store_true", help="as the text above says")
    arguments = parser.parse_args()
    before, after = List(arguments.before), List(arguments.after)
    if arguments.action == "compare":
        return compare(before, after, arguments.any_launch_order)
    return move(before, after, arguments.any_launch_order, arguments.files)


if __name__ == "__main__":
    sys.exit(main())
