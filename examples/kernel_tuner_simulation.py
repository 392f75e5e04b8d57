"""Replays what bitune measured in Kernel Tuner's simulation mode: any of its strategies, no GPU.

    bitune db export --format cache --key u32 --n 2^20 --variant warp -o warp.json
    bitune db export --format t1    --key u32 --n 2^20 --variant warp -o warp_T1.json
    python kernel_tuner_simulation.py warp.json warp_T1.json genetic_algorithm
"""

import json
import pathlib
import sys

from kernel_tuner import tune_kernel

cache, t1, strategy = sys.argv[1:]
recorded = json.loads(pathlib.Path(cache).read_text())
space = json.loads(pathlib.Path(t1).read_text())["ConfigurationSpace"]

results, environment = tune_kernel(
    recorded["kernel_name"], "", recorded["problem_size"], [], recorded["tune_params"],
    # A simulation can only go where measurements are: the condition lists what was recorded.
    restrictions=[condition["Expression"] for condition in space["Conditions"]],
    cache=cache, simulation_mode=True, strategy=strategy, strategy_options={"max_fevals": 40}, quiet=True)

valid = [result for result in results if isinstance(result["time"], float)]  # the others failed
best = min(valid, key=lambda result: result["time"])
configuration = {name: best[name] for name in recorded["tune_params_keys"]}
print(f"{environment['device_name']}: {best['time']:.6f} ms with {configuration}, after {len(results)} evaluations")
