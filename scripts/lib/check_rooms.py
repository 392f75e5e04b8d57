"""Which room may include which: prints every include that breaks the order, and exits 1 if there is one.

    python3 scripts/lib/check_rooms.py

A room is a folder at the top. A file may include its own room, the public headers, and the rooms listed here.
"""

import pathlib
import re
import sys

BELOW = {
    "include": [],
    "model": [],
    "cache": ["model"],
    "kernels": [],
    "runtime": ["kernels", "cache", "model"],
    "measure": ["runtime", "kernels", "cache", "model"],
    "tuner": ["multi", "measure", "runtime", "cache", "model"],
    "multi": ["runtime", "kernels", "cache", "model"],
    "bench": ["tuner", "multi", "measure", "runtime", "cache", "model"],
    "cli": ["bench", "tuner", "multi", "measure", "runtime", "cache", "model"],
    "capi": ["tuner", "multi", "measure", "runtime", "cache", "model"],
    "examples": [],
}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([a-z_]+)/([^">]+)[">]', re.MULTILINE)


def main() -> int:
    bad = 0
    for room, below in BELOW.items():
        for path in sorted(pathlib.Path(room).rglob("*")):
            if path.suffix not in (".cpp", ".hpp", ".h", ".cuh", ".cu"):
                continue
            for match in INCLUDE.finditer(path.read_text()):
                other = match.group(1)
                if other in BELOW and other not in (room, *below):
                    print(f"{path} includes {other}/{match.group(2)}; {room} may include: {', '.join(below) or 'nothing'}")
                    bad = 1
                if other == "tests":
                    print(f"{path} includes {other}/{match.group(2)}: no room may")
                    bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
