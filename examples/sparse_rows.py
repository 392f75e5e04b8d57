#!/usr/bin/env python3
"""Puts the columns of each row of a sparse matrix in order, with their data, as a CSR matrix with sorted indices has them.

usage: sparse_rows.py [DEVICE]    (default: the GPU; "emulated" needs none)

The three arrays are those of a csr_matrix of SciPy or CuPy: A.indptr, A.indices, A.data."""

import sys

import numpy as np

import bitune

device = sys.argv[1] if len(sys.argv) > 1 else None
random = np.random.default_rng(1)
rows, columns = 200, 1000
lengths = random.integers(0, 12, rows)
indptr = np.concatenate([[0], np.cumsum(lengths)]).astype("i4")
indices = np.concatenate([random.choice(columns, length, replace=False) for length in lengths]).astype("i4")
data = random.normal(size=indices.shape)
dense = np.zeros((rows, columns))
row_of = np.repeat(np.arange(rows), lengths)
dense[row_of, indices] = data

indices, data = bitune.segmented_sort_by_key(indices, data, indptr, device=device)

print(f"{len(indices)} elements in {rows} rows; those of row 1:")
for place in range(indptr[1], indptr[2]):
    print(f"  column {indices[place]:4}  {data[place]:7.3f}")
assert (dense[row_of, indices] == data).all()
assert all((np.diff(indices[begin:end]) > 0).all() for begin, end in zip(indptr, indptr[1:]))
