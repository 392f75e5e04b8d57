"""Files that the repository keeps for tests."""

import gzip
import lzma
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"


def unpack(name, path):
    """Unpacks a file of tests/data."""
    unpacked = (gzip if name.endswith(".gz") else lzma).decompress((DATA / name).read_bytes())
    pathlib.Path(path).write_bytes(unpacked)
