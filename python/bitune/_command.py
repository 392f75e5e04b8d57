"""The command `bitune`, as `python -m bitune` and as the script that pip installs."""

from __future__ import annotations

import os
import sys

from ._paths import package_folder


def command_path() -> str:
    """Where the command is, or should be."""
    return os.environ.get("BITUNE_COMMAND") or str(package_folder() / "bin" / "bitune")


def main() -> None:
    command = command_path()
    if not os.access(command, os.X_OK):
        sys.exit(f"bitune: there is no command {command}: install the package with pip, or name it by $BITUNE_COMMAND")
    os.execv(command, ["bitune", *sys.argv[1:]])
