"""Runs clang-tidy over the rooms' sources, many at a time.

Nearly all of clang-tidy's time goes into headers, so sources of a room, and those of small rooms together, are checked as one that includes
them, with what any of them is compiled with. Where names of two sources clash, that does not compile, and they are checked one by one.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ("model", "cache", "runtime", "multi", "measure", "tuner", "bench", "cli", "capi")  # from the bottom up
SMALL = 40  # sources of a room that shares its group with others
MOST = 128  # sources at a time
FINDING = re.compile(r"(error|warning): .*\[[a-z]")


def compile_commands(build):
    """The compilers' arguments by source, without GCC's precompiled headers and what clang does not know."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["file"])
        if not source.is_relative_to(ROOT) or source.relative_to(ROOT).parts[0] not in ROOMS:
            continue
        text = re.sub(r" -include [^ ]*cmake_pch\.hxx", "", entry["command"])
        text = re.sub(r" -isystem ", " -isystem", text)  # one argument, as all others are
        text = re.sub(r" -(Winvalid-pch|f[^ ]+|O\d|Wno-(restrict|maybe-uninitialized|stringop-over[a-z]+))", "", text)
        arguments = shlex.split(text)
        kept = arguments[next(i for i, a in enumerate(arguments) if a.startswith("-")) :]
        kept = kept[: kept.index("-o")] if "-o" in kept else kept
        commands[source] = [a for a in kept if not a.startswith(("-M", "CCACHE")) and not a.endswith(".d")]
    return commands


def groups_of(commands):
    """Sources of large rooms apart, of small ones together; a module's are apart, as all modules define the same functions."""
    alike = {}
    for source, arguments in commands.items():
        module = [a for a in arguments if a.endswith("_EXPORTS")]
        alike.setdefault((source.relative_to(ROOT).parts[0], *module), []).append(source)
    groups, together = [], []
    # From the bottom up: headers that a source does not include may come from sources before it, but from no room above it.
    for key, sources in sorted(alike.items(), key=lambda item: (ROOMS.index(item[0][0]), item[0])):
        if len(key) == 1 and len(sources) <= SMALL:
            together += sorted(sources)
        else:
            parts = -(-len(sources) // MOST)
            groups += [sorted(sources)[i::parts] for i in range(parts)]
    parts = -(-len(together) // MOST)
    groups += [together[i::parts] for i in range(parts)]
    # The longest first, so that no core waits for them at the end.
    groups.sort(key=lambda sources: -len(sources))
    return [(sources, list(dict.fromkeys(a for source in sources for a in commands[source]))) for sources in groups]


def run(tool, source, arguments, *options):
    done = subprocess.run([tool, "-quiet", f"--config-file={ROOT / '.clang-tidy'}", *options,
                           r"--header-filter=/(include/bitune|model|cache|runtime|measure|tuner|cli|capi|bench)/.*\.(hpp|cpp)$",
                           str(source), "--", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check(tool, folder, number, commands, sources, arguments):
    if len(sources) > 1:
        merged = folder / f"group{number}.cpp"
        merged.write_text("".join(f'#include "{source}"\n' for source in sources))
        code, text = run(tool, merged, arguments, "--checks=-bugprone-suspicious-include")
        if code == 0:
            return ""
        if "clang-diagnostic" not in text:
            return text
    return "".join(text for code, text in (run(tool, source, commands[source]) for source in sources) if code != 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path, help="a configured build folder")
    parser.add_argument("--tool", default="clang-tidy")
    arguments = parser.parse_args()
    folder = arguments.build.resolve() / "tidy"
    folder.mkdir(exist_ok=True)
    commands = compile_commands(arguments.build)
    groups = groups_of(commands)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, arguments.tool, folder, i, commands, *group) for i, group in enumerate(groups)]
        texts = [job.result() for job in jobs]
    wrong = [text for text in texts if text]
    for text in wrong:
        lines = re.sub(r"\x1b\[[0-9;]*[mK]", "", text).splitlines()
        shown = [i for i, line in enumerate(lines) if FINDING.search(line)]
        print("\n".join(lines[i + k] for i in shown for k in range(4) if i + k < len(lines)) or text)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
