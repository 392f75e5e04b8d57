"""What the package raises, and how the library's codes become exceptions."""

from __future__ import annotations


class Error(RuntimeError):
    """What the library could not do. The text says what and why, and what to do.

    Attributes
    ----------
    code : str
        The kind of error: "unavailable", "device", "compile", "out_of_resources", "database", "capture", ... as in `bitune.h`.
    """

    def __init__(self, sentence: str, code: str = "unavailable") -> None:
        super().__init__(sentence)
        self.code = code


class UsageError(Error, ValueError):
    """The library refused an argument. It is a ValueError, too."""


def error_of(code: str, sentence: str) -> Error:
    """The exception for one of the library's codes."""
    return (UsageError if code in ("usage", "input") else Error)(sentence, code)
