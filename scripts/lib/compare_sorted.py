"""Checks, bit for bit, that the second .npy array is what numpy.sort makes of the first: compare_sorted.py INPUT OUTPUT"""

import pathlib
import sys

import numpy as np

given, result = np.load(sys.argv[1]), np.load(sys.argv[2])
expected = np.sort(given)
if result.dtype != expected.dtype or result.shape != expected.shape:
    sys.exit(f"{sys.argv[2]}: {result.dtype}{result.shape}, expected {expected.dtype}{expected.shape}")
if result.tobytes() != expected.tobytes():
    first = int(np.flatnonzero(result != expected)[0]) if (result != expected).any() else "of a sign or NaN"
    sys.exit(f"{sys.argv[2]}: not what numpy.sort gives; first difference at index {first}")
print(f"{pathlib.Path(sys.argv[2]).name}: the same bits as numpy.sort, {result.size} keys")
