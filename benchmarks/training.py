"""Measures how fast the heads of chapters 7 and 8 learn: `python -m benchmarks.training`.

The last line is JSON. Steps a second: batches drawn and steps taken, at batch 32. PyTorch, where it can be
imported, takes the same steps on the same batches in eager mode. All run in turns in this process, on one
thread, and the median counts. `*_run_ms` is what a page waits for: a whole run with default settings, every
step of it judged on the held-out examples, and the matrices recorded.
"""

import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported: products this small need one

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from attention_core.learning import train_lookup, train_two_lookups
from attention_core.learning.descent import STRETCH, Task, checked_plan, first_matrices, walk
from attention_core.learning.examples import Layouts, lookup_layouts, two_lookups_layouts
from attention_core.learning.lookup import lookup_task
from attention_core.learning.two_lookups import two_lookups_task
from benchmarks.playback import playback

ROUNDS = 7
STEPS = 1_000
BATCH = 32

Training = Callable[[int], None]


def main() -> None:
    """Measure, and print the results as JSON."""
    results: dict[str, float | None] = {**speed(), **waiting(), **playback()}
    print(json.dumps(results))


def speed(rounds: int = ROUNDS, steps: int = STEPS) -> dict[str, float | None]:
    """Steps per second of both trainings, and how many times PyTorch's that is (None without PyTorch)."""
    one = lookup_task(d_k=4, scaled=False, attend_self=False)
    two = two_lookups_task(n_heads=2, d_k=4, d_v=3, target="concat", collide=True)
    trainings: dict[str, Training] = {
        "lookup": lambda seed: our_descent(one, seed, steps, std=0.2, lr=0.10),
        "two_lookups": lambda seed: our_descent(two, seed, steps, std=0.3, lr=0.05),
    }
    if find_spec("torch"):
        trainings["torch lookup"] = lambda seed: torch_lookup(seed, steps)
        trainings["torch two_lookups"] = lambda seed: torch_two_lookups(seed, steps)
    seconds: dict[str, list[float]] = {name: [] for name in trainings}
    for seed in range(rounds + 1):
        for name, train in trainings.items():
            start = perf_counter()
            train(seed)
            if seed > 0:  # the first round warms up
                seconds[name].append(perf_counter() - start)
    per_s = {name: steps / median(taken) for name, taken in seconds.items()}
    return {
        "lookup_steps_per_s": round(per_s["lookup"]),
        "two_lookups_steps_per_s": round(per_s["two_lookups"]),
        "lookup_vs_torch": ratio(per_s, "lookup"),
        "two_lookups_vs_torch": ratio(per_s, "two_lookups"),
    }


def ratio(per_s: dict[str, float], name: str) -> float | None:
    """How many times as fast as PyTorch."""
    torch_per_s = per_s.get(f"torch {name}")
    return round(per_s[name] / torch_per_s, 2) if torch_per_s else None


def waiting(rounds: int = ROUNDS) -> dict[str, float]:
    """Milliseconds until a whole run is there, default settings, a seed that was not asked for before."""
    lookup, two_lookups = [], []
    for seed in range(rounds):
        start = perf_counter()
        train_lookup(seed)
        between = perf_counter()
        train_two_lookups(seed)
        lookup.append(between - start)
        two_lookups.append(perf_counter() - between)
    return {
        "lookup_run_ms": round(1_000 * median(lookup), 1),
        "two_lookups_run_ms": round(1_000 * median(two_lookups), 1),
    }


def our_descent(task: Task, seed: int, steps: int, std: float, lr: float) -> None:
    """Training as the pages have it, but for the judging."""
    plan = checked_plan(task, seed=seed, lr=lr, std=std, batch=BATCH)
    rng = np.random.default_rng(seed)
    now = first_matrices(plan, rng)
    for first in range(0, steps, STRETCH):
        now = walk(plan, now, rng, first)[-1]


def torch_lookup(seed: int, steps: int) -> None:
    """Chapter 7's training in PyTorch."""
    torch = import_module("torch")  # never a dependency

    def predict(keys: Any, query: Any, W_Q: Any, W_K: Any, W_V: Any) -> Any:
        q, k, v = query.unsqueeze(1) @ W_Q, keys @ W_K, keys @ W_V  # (B, 1, d_k), (B, 3, d_k), (B, 3, 3)
        return (torch.softmax(q @ k.transpose(1, 2), dim=-1) @ v).squeeze(1)

    torch_descent(predict, lookup_layouts(), [(6, 4), (6, 4), (6, 3)], seed, steps, std=0.2, lr=0.10)


def torch_two_lookups(seed: int, steps: int) -> None:
    """Chapter 8's training in PyTorch, two heads."""
    torch = import_module("torch")  # never a dependency

    def predict(keys: Any, query: Any, W_Q: Any, W_K: Any, W_V: Any, W_O: Any) -> Any:
        q = (query @ W_Q).view(-1, 2, 1, 4)  # (B, h, 1, d_k)
        k = (keys @ W_K).view(-1, 4, 2, 4).transpose(1, 2)  # (B, h, 4, d_k)
        v = (keys @ W_V).view(-1, 4, 2, 3).transpose(1, 2)  # (B, h, 4, d_v)
        heads = torch.softmax(q @ k.transpose(2, 3), dim=-1) @ v  # (B, h, 1, d_v)
        return heads.reshape(-1, 6) @ W_O

    shapes = [(8, 8), (8, 8), (8, 6), (6, 6)]
    torch_descent(predict, two_lookups_layouts("concat", collide=True), shapes, seed, steps, std=0.3, lr=0.05)


def torch_descent(
    predict: Callable[..., Any],
    layouts: Layouts,
    shapes: list[tuple[int, int]],
    seed: int,
    steps: int,
    std: float,
    lr: float,
) -> None:
    """Plain gradient descent in eager PyTorch, in float64, on batches drawn as ours are."""
    torch = import_module("torch")  # never a dependency

    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    weights = [torch.from_numpy(rng.normal(scale=std, size=shape)).requires_grad_() for shape in shapes]
    optimizer = torch.optim.SGD(weights, lr=lr)
    for _ in range(0, steps, STRETCH):
        batches, _ = layouts.draw(rng, (STRETCH, BATCH))
        for keys, query, target in zip(*(torch.from_numpy(x) for x in batches), strict=True):
            loss = (predict(keys, query, *weights) - target).square().sum(dim=-1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
