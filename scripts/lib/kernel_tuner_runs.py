"""Kernel Tuner's strategies in its simulation mode, over what several cache files have of one problem."""

import contextlib
import gzip
import io
import json
import pathlib
import random
import tempfile
import warnings

FAILED = {"InvalidConfig", "CompilationFailedConfig", "RuntimeFailedConfig"}


def load_spaces(paths):
    """Caches by problem, each variant's in a file of its own: {(key type, n, rows): {variant: cache}}."""
    spaces = {}
    for path in sorted(paths):
        opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
        with opened as file:
            cache = json.load(file)
        size = cache["problem_size"]
        n, rows = (size, 1) if isinstance(size, int) else [*size, 1][:2]
        variant, key_type, _ = cache["kernel_name"].removeprefix("bitune_").rsplit("_", 2)
        spaces.setdefault((key_type, n, rows), {})[variant] = cache
    return dict(sorted(spaces.items()))


def merged(variants):
    """One cache of all variants: with a parameter that numbers them, and 0 for the parameters that one does not have."""
    names = sorted({name for cache in variants.values() for name in cache["tune_params_keys"]})
    lines = {}
    restrictions = []
    for number, cache in enumerate(variants.values()):
        absent = [name for name in names if name not in cache["tune_params_keys"]]
        # What a person would write, so that the space is built in seconds.
        restrictions += [f"variant != {number} or {name} == 0" for name in absent]
        for name in cache["tune_params_keys"]:
            values = sorted({line[name] for line in cache["cache"].values()})
            restrictions.append(f"variant != {number} or {name} in {values}")
        for line in cache["cache"].values():
            point = {"variant": number, **{name: line.get(name, 0) for name in names}}
            times = {key: line[key] for key in ("time", "compile_time", "verification_time", "benchmark_time")}
            lines[",".join(map(str, point.values()))] = {**point, **times, "strategy_time": 0.0, "framework_time": 0.0}
    first = next(iter(variants.values()))
    keys = ["variant", *names]
    return restrictions, {
        "device_name": first["device_name"],
        "kernel_name": "bitune",
        "problem_size": first["problem_size"],
        "tune_params_keys": keys,
        "tune_params": {name: sorted({line[name] for line in lines.values()}) for name in keys},
        "objective": "time",
        "cache": lines,
    }


def write_cache(cache, folder):
    """As Kernel Tuner lays its caches out: one entry a line, the two closing braces on lines of their own."""
    head = json.dumps({key: value for key, value in cache.items() if key != "cache"})
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(line)}" for key, line in cache["cache"].items())
    path = pathlib.Path(folder) / "cache.json"
    path.write_text(f"{head[:-1]}, \"cache\": {{\n{lines}}}\n}}")
    return path


class Runs:
    """Runs over one space; what Kernel Tuner builds of the space is built once."""

    def __init__(self, variants):
        self.restrictions, self.cache = merged(variants)
        self.folder = tempfile.TemporaryDirectory()
        self.path = write_cache(self.cache, self.folder.name)
        times = [line["time"] for line in self.cache["cache"].values() if line["time"] not in FAILED]
        self.best = min(times)
        self.keys = self.cache["tune_params_keys"]

    def __len__(self):
        return len(self.cache["cache"])

    def evaluations(self, strategy, seed, most, within):
        """Unique evaluations until one is within the share of the best; None if there was none among `most`."""
        import kernel_tuner
        import numpy

        random.seed(seed)
        numpy.random.seed(seed)
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results, _ = kernel_tuner.tune_cache(
                str(self.path), restrictions=list(self.restrictions), strategy=strategy,
                strategy_options={"max_fevals": min(most, len(self))}, quiet=True, verbose=False)
        seen = set()
        for result in results:
            seen.add(tuple(result[key] for key in self.keys))
            if isinstance(result.get("time"), float) and result["time"] <= (1 + within) * self.best:
                return len(seen)
        return None
