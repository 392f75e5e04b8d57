#!/usr/bin/env python3
"""Finds the nearest neighbours of some points among others: the smallest distances of each row, and whose they are.

usage: nearest_neighbours.py [DEVICE]    (default: the GPU; "emulated" needs none)"""

import sys

import numpy as np

import bitune

device = sys.argv[1] if len(sys.argv) > 1 else None
random = np.random.default_rng(1)
points = random.normal(size=(2000, 8)).astype("f4")
queries = random.normal(size=(5, 8)).astype("f4")

distances = np.linalg.norm(queries[:, None] - points[None], axis=-1)
nearest, which = bitune.top_k(distances, 3, axis=-1, largest=False, device=device)

for query, (near, points_of_query) in enumerate(zip(nearest, which)):
    found = ", ".join(f"point {point} ({distance:.2f} away)" for distance, point in zip(near, points_of_query))
    print(f"query {query}: {found}")
assert (which == np.argsort(distances, axis=-1, kind="stable")[:, :3]).all()
