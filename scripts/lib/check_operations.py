"""Who tells operations apart: prints every comparison with an operation outside of the places below, and exits 1 if there is one.

    python3 scripts/lib/check_operations.py

What is true of an operation is a fact in model/operation.hpp, and everybody asks for the fact. So a new operation is a row there. To ask
for an operation (`.operation = Operation::argsort`) is no comparison.
"""

import pathlib
import re
import sys

ROOMS = ["model", "cache", "runtime", "measure", "tuner", "multi", "cli", "bench", "capi"]
# Families of kernels are made for an operation, and so are the sorts of others.
MAY = ("runtime/variants/", "bench/cub/")
NAME = r"(?:(?:bitune::)?Operation::\w+|BITUNE_(?:SORT|SORT_PAIRS|ARGSORT|TOP_K))\b"
COMPARISON = re.compile(rf"[=!]=\s*{NAME}|{NAME}\s*[=!]=|\bcase\s+{NAME}")


def comparisons(text: str) -> list[tuple[int, str]]:
    """Line and text of each. Comments are none, and what the compiler asserts decides nothing."""
    code = re.sub(r"//[^\n]*", "", text)
    code = re.sub(r"static_assert\([^;]*;", lambda match: "\n" * match.group().count("\n"), code)
    return [(code.count("\n", 0, match.start()) + 1, " ".join(match.group().split())) for match in COMPARISON.finditer(code)]


def main() -> int:
    bad = 0
    for room in ROOMS:
        for path in sorted(pathlib.Path(room).rglob("*")):
            if path.suffix not in (".cpp", ".hpp", ".h", ".cuh", ".cu") or path.as_posix().startswith(MAY):
                continue
            for line, found in comparisons(path.read_text()):
                print(f"{path}:{line} tells operations apart ({found}): ask model/operation.hpp for what is true of the operation")
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
