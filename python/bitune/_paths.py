"""Where the package keeps what is not Python."""

from __future__ import annotations

import pathlib


def package_folder() -> pathlib.Path:
    """Library, command and shipped tunings lie in lib/, bin/ and share/ of it."""
    return pathlib.Path(__file__).resolve().parent
