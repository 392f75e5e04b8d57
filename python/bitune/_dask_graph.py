"""Sorting an array of one dimension and many chunks: the tasks, and what depends on what. All else is Dask's."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from . import _dask_cuts as cuts
from ._dask_local import first_of, module_of, order_of, sorted_keys, sorted_pairs

ROUNDS = 2  # of narrowing: each divides what is left by about a quarter of `samples_each`


class Run(NamedTuple):
    """The keys of a chunk in order, and what travels with them: values, or indices in the chunk, or None."""

    keys: Any
    values: Any


def run_of_keys(chunk: Any, descending: bool, device: Any) -> Run:
    return Run(sorted_keys(chunk, 0, descending, device), None)


def run_of_indices(chunk: Any, descending: bool, device: Any) -> Run:
    order = order_of(chunk, 0, descending, "int64", device)
    return Run(chunk[order], order)


def run_of_pairs(chunk: Any, values: Any, descending: bool, device: Any) -> Run:
    if len(chunk) != len(values):
        raise ValueError(f"values: a chunk has {len(values)} elements, and the chunk of its keys {len(chunk)}")
    return Run(*sorted_pairs(chunk, values, descending, device))


def sample_of(run: Run, *rest: Any) -> Any:
    return cuts.sample(run.keys, *rest)


def window_of(run: Run, *rest: Any) -> Any:
    return cuts.window(run.keys, *rest)


def split(run: Run, found: cuts.Cuts, number: int, offset: bool) -> list[Run]:
    """A run's piece of each part. Indices in the chunk become those in the array."""
    at = found.at[number]
    values = run.values
    if offset:
        values = values + int(found.offsets[number])
    return [
        Run(run.keys[begin:end], None if values is None else values[begin:end]) for begin, end in zip(at[:-1].tolist(), at[1:].tolist())
    ]


def join(pieces: list[Run], descending: bool, device: Any) -> Run:
    """A part of the result. Of equal keys those of an earlier run come first, so that a stable sort continues one."""
    filled = [piece for piece in pieces if len(piece.keys)] or pieces[:1]
    if len(filled) == 1:
        return Run(*filled[0])
    module = module_of(filled[0].keys)
    keys: Any = module.concatenate([piece.keys for piece in filled])
    if filled[0].values is None:
        return Run(sorted_keys(keys, 0, descending, device), None)
    return Run(*sorted_pairs(keys, module.concatenate([piece.values for piece in filled]), descending, device))


def field(run: Run, number: int, dtype: Any) -> Any:
    return run[number].astype(dtype, copy=False)


def task(function: Any) -> Any:
    """Tasks of the same function and arguments are one: an array that is sorted twice is sorted once."""
    return importlib.import_module("dask").delayed(function, pure=True)


def chunks_of(x: Any) -> list[Any]:
    found: list[Any] = x.to_delayed(optimize_graph=False).ravel().tolist()
    return found


def wanted_lengths(x: Any) -> cuts.Wanted:
    """The chunks' own; None where they are not known."""
    lengths = x.chunks[0]
    return None if any(length != length for length in lengths) else tuple(int(length) for length in lengths)


def sorted_parts(runs: list[Any], wanted: cuts.Wanted, descending: bool, device: Any, *, offset: bool = False) -> list[Any]:
    """The parts of the whole, of which `runs` are the sorted chunks."""
    count = len(runs)
    ranges: Any = None
    for _ in range(ROUNDS if count > 1 else 0):
        told = [task(sample_of)(run, ranges, number, count, descending) for number, run in enumerate(runs)]
        ranges = task(cuts.narrow)(told, ranges, wanted)
    if count == 1:
        return runs
    told = [task(window_of)(run, ranges, number, descending) for number, run in enumerate(runs)]
    found = task(cuts.decide)(told, ranges, wanted)
    pieces = [task(split)(run, found, number, offset) for number, run in enumerate(runs)]
    return [task(join)([of_run[part] for of_run in pieces], descending, device) for part in range(count)]


def array_of(parts: list[Any], number: int, like: Any, lengths: tuple[Any, ...]) -> Any:
    """Keys (0) or values (1) of the parts, as a dask array of the type of `like`."""
    array: Any = importlib.import_module("dask.array")
    graphs: Any = importlib.import_module("dask.highlevelgraph").HighLevelGraph
    blocks = [task(field)(part, number, like.dtype) for part in parts]
    # Not by `concatenate`, which leaves chunks without elements out.
    name = "bitune-" + importlib.import_module("dask.base").tokenize([block.key for block in blocks])
    layer = {(name, number): block.key for number, block in enumerate(blocks)}
    return array.Array(graphs.from_collections(name, layer, dependencies=blocks), name, (lengths,), meta=like)



class First(NamedTuple):
    """The first keys of some chunks, where they are in them, and how many keys these have."""

    keys: Any
    indices: Any
    length: int


def first_of_chunk(chunk: Any, k: int, largest: bool, device: Any) -> First:
    length = len(chunk)
    if length == 0:
        return First(chunk, chunk.astype("int64"), 0)
    indices = first_of(chunk, min(k, length), 0, largest, "int64", device)
    return First(chunk[indices], indices, length)


def first_of_firsts(firsts: list[First], k: int, largest: bool, device: Any) -> First:
    """Of chunks that follow each other. Those of an earlier one come first, so that of equal keys they are taken."""
    module = module_of(firsts[0].keys)
    indices, length = [], 0
    for one in firsts:
        indices.append(one.indices + length)
        length += one.length
    found = first_of_chunk(module.concatenate([one.keys for one in firsts]), k, largest, device)
    return First(found.keys, module.concatenate(indices)[found.indices], length)


def exactly(first: First, k: int) -> First:
    if len(first.keys) != k:
        raise ValueError(f"k: from 1 to the {first.length} keys of the axis, not {k}")
    return first


def first_parts(x: Any, k: int, largest: bool, device: Any, group: int = 8) -> Any:
    """A task that gives the First of all chunks, by a tree."""
    level = [task(first_of_chunk)(chunk, k, largest, device) for chunk in chunks_of(x)]
    while len(level) > 1:
        level = [task(first_of_firsts)(level[at : at + group], k, largest, device) for at in range(0, len(level), group)]
    return task(exactly)(level[0], k)
