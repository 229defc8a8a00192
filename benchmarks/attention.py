"""What attention costs in four forms: `python -m benchmarks.attention` prints one JSON object on its last line.

8 heads, 64 wide, float32, one thread, for n = 256, 1,024 and 4,096 tokens; the object holds one object for each n.

naive_ms, in_place_ms, online_ms, torch_ms        CPU time, the median of rounds in which each form runs once
naive_mib, in_place_mib, online_mib, torch_mib    peak memory beyond Q, K and V

naive is the formula as it is written, in_place the same in one grid's memory, online `online_attention`, and torch
F.scaled_dot_product_attention, null where torch cannot be imported. It is no dependency; a Python that has it and NumPy
can run this file.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from math import sqrt
from statistics import median
from typing import Any

import numpy as np

from attention_core import full_attention, online_attention, peak_mib
from attention_core.attention import FloatArray
from attention_core.measurement import MIB, ONE_THREAD

torch: Any = import_module("torch") if find_spec("torch") else None

SIZES = (256, 1024, 4096)
SHORT = (64, 256)
ROUNDS = 9
N_HEADS, D = 8, 64

Run = Callable[[], object]


def measure(sizes: Sequence[int] = SIZES, rounds: int = ROUNDS) -> dict[str, dict[str, float | None]]:
    """Measure every form for every size."""
    found = {}
    for n in sizes:
        runs = forms(n)
        times = {name: median(ms) for name, ms in interleaved(runs, rounds).items()}
        peaks = {name: torch_mib(run) if name == "torch" else peak_mib(run) for name, run in runs.items()}
        names = ("naive", "in_place", "online", "torch")
        figures = {f"{name}_ms": times.get(name) for name in names} | {f"{name}_mib": peaks.get(name) for name in names}
        found[str(n)] = {key: None if value is None else round(value, 3) for key, value in figures.items()}
    return found


def forms(n: int) -> dict[str, Run]:
    """The forms, by name, each with the same queries, keys and values."""
    Q, K, V = np.random.default_rng(n).standard_normal((3, N_HEADS, n, D), dtype=np.float32)
    runs: dict[str, Run] = {
        "naive": lambda: full_attention(Q, K, V),
        "in_place": lambda: in_place(Q, K, V),
        "online": lambda: online_attention(Q, K, V),
    }
    if torch is not None:
        torch.set_num_threads(1)
        q, k, v = (torch.from_numpy(x)[None] for x in (Q, K, V))
        runs["torch"] = lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)[0].numpy()
    return runs


def in_place(Q: FloatArray, K: FloatArray, V: FloatArray) -> FloatArray:
    """The whole grid at once, but only one: every step overwrites the one before."""
    grid = Q @ K.swapaxes(-1, -2)  # (h, n_q, n_k)
    grid /= sqrt(Q.shape[-1])
    grid -= grid.max(axis=-1, keepdims=True)
    np.exp(grid, out=grid)
    grid /= grid.sum(axis=-1, keepdims=True)
    return np.asarray(grid @ V)


def interleaved(runs: dict[str, Run], rounds: int) -> dict[str, list[float]]:
    """CPU milliseconds of each form in each round; a slow moment of the machine meets all of them."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.process_time()
            run()
            times[name].append(1000 * (time.process_time() - start))
    return times


def torch_mib(run: Run) -> float:
    """Peak memory that torch's own allocator hands out, in MiB; tracemalloc does not see it."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        run()
    events = sorted(profile.profiler.kineto_results.events(), key=lambda event: event.start_ns())
    peak: int = max(accumulate(event.nbytes() for event in events if event.name() == "[memory]"))
    return peak / MIB


def main(arguments: Sequence[str]) -> int:
    """Measure in a process that was told to use one thread before NumPy was loaded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.attention", description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="two small sizes, three rounds")
    short = parser.parse_args(arguments).short
    if ONE_THREAD.items() <= os.environ.items():
        print(json.dumps(measure(SHORT, 3) if short else measure()))
        return 0
    again = [sys.executable, "-m", "benchmarks.attention", *arguments]
    return subprocess.run(again, env=os.environ | ONE_THREAD, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
