"""Sorts an array of NumPy on the GPU (without one, on the emulated device), and tells how."""

import numpy as np

import bitune

gpus = [device["selector"] for device in bitune.devices() if device["selector"] != "emulated"]
device = gpus[0] if gpus else "emulated"

keys = np.random.default_rng(1).standard_normal(4096).astype("float32")
ascending = bitune.sort(keys, device=device)
order = bitune.argsort(keys, descending=True, device=device)
assert (ascending == np.sort(keys)).all()
assert (keys[order] == ascending[::-1]).all()

how = bitune.explain(keys, device=device)
print(f"sorted {keys.size} {keys.dtype} keys on {device}: {ascending[:3]} ... {ascending[-3:]}")
print(f"by {how['configuration']} ({how['match']}: {how['reason']})")
