"""Cutting sorted runs exactly at the ranks where the parts of the result begin, by samples of the runs.

All keys of all runs have one order: by key, then by run, then by place in the run. A cut of rank r has exactly r keys before it. How
many of them are in each run lies in a range. A round narrows the ranges: each run tells some of its keys, evenly spaced over
its ranges, and what is known of their ranks brackets each cut. When ranges are short, the runs tell all keys that lie in them. So what is
sent is bounded, and equal keys cost no more than others.
"""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple, Optional

from ._dask_local import codes_of, module_of

np: Any = importlib.import_module("numpy")

Wanted = Optional[tuple[int, ...]]
"""The lengths of the parts; None for equal ones."""


class Sample(NamedTuple):
    """Some keys of a run: where they are, their codes, and how long the run is."""

    places: Any
    codes: Any
    length: int


class Cuts(NamedTuple):
    """`at[run, cut]` keys of the run lie before the cut; from 0 to all. `offsets`: how many keys the chunks before a run's have."""

    at: Any
    offsets: Any


def _on_host(x: Any) -> Any:
    return x.get() if hasattr(x, "get") else x  # CuPy's


def samples_each(parts: int) -> int:
    """Keys that a run tells for each cut, in a round: some millions of all runs, cuts and 8 bytes."""
    return max(8, min(1024, (1 << 21) // parts**2))


def sample(keys: Any, ranges: Any, run: int, parts: int, descending: bool) -> Sample:
    """Keys of a sorted run, where its ranges are; without ranges, of all of it."""
    length = len(keys)
    if length == 0:
        return Sample(np.empty(0, "i8"), np.empty(0, f"u{keys.dtype.itemsize}"), 0)
    each = samples_each(parts)
    if ranges is None:
        places = np.linspace(0, length - 1, min(length, each * parts)).astype("i8")
    else:
        # The key before a range and the one behind it, too: they tell that others are outside.
        places = np.concatenate(
            [np.linspace(max(low - 1, 0), min(high, length - 1), min(each, high - low + 2)).astype("i8") for low, high in ranges[run]]
        )
    places = np.unique(places)
    return Sample(places, _on_host(codes_of(keys[module_of(keys).asarray(places)], descending)), length)


def ranks_of(lengths: list[int], wanted: Wanted) -> Any:
    """How many keys lie before each cut. Raises ValueError if the parts have not as many keys as there are."""
    total, parts = sum(lengths), len(lengths)
    if wanted is None:
        return np.array([total * part // parts for part in range(1, parts)], "i8")
    if sum(wanted) != total:
        raise ValueError(f"x: its chunks should have {sum(wanted)} elements in all, and they have {total}")
    return np.cumsum(wanted, dtype="i8")[:-1]


def narrow(samples: list[Sample], ranges: Any, wanted: Wanted) -> Any:
    """Ranges, narrowed by what the samples tell: of shape (runs, cuts, 2)."""
    lengths = [one.length for one in samples]
    ranks = ranks_of(lengths, wanted)
    if ranges is None:
        ranges = np.zeros((len(samples), len(ranks), 2), "i8")
        ranges[:, :, 1] = np.array(lengths)[:, None]
    # In order by key, run and place. Before the sample at k of a run that has p keys before it there are at least p[k - 1] + 1 of
    # this run, and of another run's key between these two at most p[k].
    order = np.argsort(np.concatenate([one.codes for one in samples]), kind="stable")
    runs = np.repeat(np.arange(len(samples)), [len(one.places) for one in samples])[order]
    least = np.concatenate([np.diff(one.places + 1, prepend=0) for one in samples])[order]
    most = np.concatenate([np.diff(one.places, append=one.length) for one in samples])[order]
    least_rank = np.cumsum(least) - least
    most_rank = np.cumsum(most) - most + sum(int(one.places[0]) for one in samples if one.length)
    begin = np.searchsorted(most_rank, ranks, side="right") - 1  # the last one that is not behind the cut
    end = np.searchsorted(least_rank, ranks, side="left")  # the first one that is not before it
    narrowed = ranges.copy()
    for run, one in enumerate(samples):
        if one.length == 0:
            continue
        mine = np.flatnonzero(runs == run)
        before = np.searchsorted(mine, np.maximum(begin, 0))  # of my samples, before the one where the cut's range begins
        low = np.where((begin >= 0) & (before > 0), one.places[np.maximum(before - 1, 0)] + 1, 0)
        before = np.searchsorted(mine, end)
        high = np.where(before < len(mine), one.places[np.minimum(before, len(mine) - 1)], one.length)
        narrowed[run, :, 0] = np.maximum(narrowed[run, :, 0], low)
        narrowed[run, :, 1] = np.minimum(narrowed[run, :, 1], high)
    return narrowed


def window(keys: Any, ranges: Any, run: int, descending: bool) -> tuple[list[Any], int]:
    """Of each cut the codes of the keys in the run's range, and the run's length."""
    return [_on_host(codes_of(keys[low:high], descending)) for low, high in ranges[run]], len(keys)


def decide(windows: list[tuple[list[Any], int]], ranges: Any, wanted: Wanted) -> Cuts:
    """The cuts, of all keys that are left."""
    lengths = [length for _, length in windows]
    ranks = ranks_of(lengths, wanted)
    at = np.zeros((len(windows), len(ranks) + 2), "i8")
    at[:, -1] = lengths
    for cut, rank in enumerate(ranks):
        low = ranges[:, cut, 0]
        left = [codes[cut] for codes, _ in windows]
        runs = np.repeat(np.arange(len(windows)), [len(codes) for codes in left])
        first = runs[np.argsort(np.concatenate(left), kind="stable")[: rank - low.sum()]]
        at[:, cut + 1] = low + np.bincount(first, minlength=len(windows))
    return Cuts(at, np.cumsum([0, *lengths[:-1]]))
