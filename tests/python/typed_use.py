# pyright: strict
"""What a program with types writes. It is not run: mypy and pyright must find nothing in it, by their strict rules."""

from typing import Any, Union

import numpy as np
import numpy.typing as npt

import bitune
import bitune.dask


def sorted_copy(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    result = bitune.sort(x, axis=0, descending=True, device="emulated")
    return bitune.sort(result, out=result)


def order(x: npt.NDArray[np.float32]) -> Any:
    indices, keys = bitune.argsort(x, index_dtype=np.int32, return_keys=True)
    return indices, keys


def pairs(keys: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    return bitune.sort_by_key(keys, values)[0]


def lists(x: npt.NDArray[np.float32], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    bitune.prepare(x, "segmented_sort", segments=len(offsets) - 1)
    order: Any = bitune.segmented_argsort(x, offsets, index_dtype=np.int32)
    keys, _ = bitune.segmented_sort_by_key(x, order, offsets[:-1], ends=offsets[1:])
    return bitune.segmented_sort(keys, offsets, descending=True)


def best(x: npt.NDArray[np.float32]) -> Any:
    values, indices = bitune.top_k(x, 5, axis=0, largest=False, index_dtype=np.int32)
    return values, indices


def told(x: npt.NDArray[np.float32]) -> list[str]:
    bitune.prepare(x, "argsort", return_keys=True)
    reason: str = bitune.explain(x, "argsort")["reason"]
    selectors = [str(device["selector"]) for device in bitune.devices()]
    best = bitune.Database("tuning.db").best(key="f32")
    report = bitune.tune([(1024,), (32, 128)], "float32", device="emulated", progress=lambda now: now["evaluated"] > 3)
    return [reason, *selectors, *map(str, best), *report]


def caught(x: npt.NDArray[np.float32]) -> Union[str, None]:
    try:
        bitune.sort(x)
    except bitune.Error as error:
        return error.code
    return None


def over_gpus(x: npt.NDArray[np.float32]) -> list[Any]:
    low, high = bitune.MultiSorter([0, 1]).sort([x, x], descending=True)
    return [low, high, bitune.sort(x, devices="all"), bitune.sort(x, scratch_folder=".")]


def of_a_cluster(client: Any, x: Any, frame: Any) -> Any:
    kinds = bitune.dask.tune(client, [1 << 20], budget_seconds=60)["kinds"]
    keys, values = bitune.dask.sort_by_key(bitune.dask.sort(x, descending=True), bitune.dask.argsort(x, index_dtype=np.int32))
    first, indices = bitune.dask.top_k(x, 5, largest=False, device="emulated")
    return kinds, keys, values, first, indices, bitune.dask.sort_values(frame, ["a", "b"], ascending=[True, False])
