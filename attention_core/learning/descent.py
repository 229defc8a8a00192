"""Plain gradient descent on fresh batches, in stretches that a longer run goes on from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, isfinite
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np

from attention_core.attention import FloatArray
from attention_core.learning.circuits import Batch, Sizes, Weights, gradient, judge
from attention_core.learning.examples import Layouts

MAX_STEPS = 20_000
MAX_BATCH = 1_024
RECORD_EVERY = 5  # steps between two records of the matrices
STRETCH = 50  # steps taken at a time: drawing their batches one by one costs as much as the steps
TOO_LARGE = 100  # a loss above so many times the first one is called diverged

_HEADS_JUDGED = 10  # heads judged at a time: larger arrays would be given back to the system, and asked for again
_HELD_OUT = 256  # examples that a step is judged by
_HELD_OUT_SEED = 2**32  # no run has it, so that no run trains on what it is judged by

Schedule: TypeAlias = tuple[tuple[int, float], ...]
LearningRate: TypeAlias = float | Sequence[tuple[int, float]]


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be learned, by what, and what it is judged by.

    `held_out` are the examples that every step is judged by; `marks` (B, n_keys, n_marks) says which of their
    tokens are watched: a step's `marked` is the mean weight that a head puts there.
    """

    sizes: Sizes
    layouts: Layouts
    attend_self: bool
    held_out: Batch
    marks: FloatArray


@dataclass(frozen=True)
class Plan:
    """All that a run depends on but its length."""

    task: Task
    seed: int
    schedule: Schedule
    std: float
    batch: int


@dataclass(frozen=True, eq=False)
class History:
    """At n steps: `loss` (n,), `marked` (n, h, n_marks), and every 5th step's `weights` (r, ...)."""

    loss: FloatArray
    marked: FloatArray
    weights: Weights
    diverged_at: int | None


@dataclass(frozen=True, eq=False)
class _Stretch:
    """Some steps of a run, up to the last good one, and all it takes to go on from there."""

    loss: FloatArray  # (n,)
    marked: FloatArray  # (n, h, n_marks)
    records: FloatArray  # (n // 5, n_numbers)
    end: FloatArray  # (n_numbers,)
    rng: dict[str, Any]  # the state of the random numbers
    diverged: bool


def held_out(layouts: Layouts, attend_self: bool = False) -> tuple[Batch, np.ndarray]:
    """The examples that all runs of a task are judged by, and their layouts."""
    return layouts.draw(np.random.default_rng(_HELD_OUT_SEED), (_HELD_OUT,), attend_self)


def descend(plan: Plan, steps: int) -> History:
    """Train for so many steps, or go on from what was trained before; the same plan gives the same run."""
    stretches = _so_far(plan)
    while not stretches[-1].diverged and STRETCH * (len(stretches) - 1) < steps:
        known = len(stretches)
        # Two threads that get here at once put the same stretch in the same place.
        stretches[known : known + 1] = [_go_on(plan, known, stretches[known - 1], stretches[0].loss[0])]
    stretches = stretches[: 1 + ceil(steps / STRETCH)]

    loss = np.concatenate([stretch.loss for stretch in stretches])
    marked = np.concatenate([stretch.marked for stretch in stretches])
    records = np.concatenate([stretch.records for stretch in stretches])
    weights = plan.task.sizes.views(records[: steps // RECORD_EVERY + 1])
    diverged = stretches[-1].diverged and len(loss) <= steps
    return History(loss[: steps + 1], marked[: steps + 1], weights, len(loss) if diverged else None)


def walk(plan: Plan, start: FloatArray, rng: np.random.Generator, from_step: int = 0) -> FloatArray:
    """Take 50 steps, on batches drawn from `rng`: the matrices after each of them, (50, n_numbers)."""
    sizes, layouts = plan.task.sizes, plan.task.layouts
    batches, _ = layouts.draw(rng, (STRETCH, plan.batch), plan.task.attend_self)
    rates = [_rate(plan.schedule, from_step + step) for step in range(STRETCH)]
    path = np.empty((STRETCH, sizes.n_numbers))
    now, change = start.copy(), np.empty_like(start)
    weights, d_weights = sizes.views(now), sizes.views(change)  # views: they follow
    for step, (rate, keys, query, target) in enumerate(zip(rates, *batches, strict=True)):
        gradient(weights, Batch(keys, query, target), sizes.scale, out=d_weights)
        change *= rate
        now -= change
        path[step] = now
    return path


def first_matrices(plan: Plan, rng: np.random.Generator) -> FloatArray:
    """Where a run starts, (n_numbers,): W_Q, W_K, W_V and W_O, row by row, drawn before any batch."""
    return rng.normal(scale=plan.std, size=plan.task.sizes.n_numbers)


def judged(task: Task, weights: Weights) -> tuple[FloatArray, FloatArray]:
    """Squared errors of T models on the held-out examples, (T, d_out), and `marked`, (T, h, n_marks)."""
    n = max(1, _HEADS_JUDGED // task.sizes.n_heads)
    W_Q, W_K, W_V, W_O = weights
    parts = []
    for i in range(0, len(W_Q), n):
        some = Weights(W_Q[i : i + n], W_K[i : i + n], W_V[i : i + n], None if W_O is None else W_O[i : i + n])
        parts.append(judge(some, task.held_out, task.marks, task.sizes.scale))
    squares, marked = zip(*parts, strict=True)
    return np.concatenate(squares), np.concatenate(marked)


def checked_plan(task: Task, *, seed: int, lr: LearningRate, std: float, batch: int) -> Plan:
    """A plan, or a ValueError that says what is wrong with it."""
    return Plan(
        task,
        whole("seed", seed, 0, 2**32 - 1),
        _schedule(lr),
        _number("std", std, 10),
        whole("batch", batch, 1, MAX_BATCH),
    )


def whole(name: str, value: int, least: int, most: int) -> int:
    """`value` as an int within these bounds; True is not a number here."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}, got {value!r}")
    return int(value)


@lru_cache(maxsize=8)
def _so_far(plan: Plan) -> list[_Stretch]:
    """The stretches known of a run; the first holds step 0 alone, the others 50 steps each."""
    rng = np.random.default_rng(plan.seed)
    start = first_matrices(plan, rng)
    squares, marked = judged(plan.task, plan.task.sizes.views(start[None]))
    return [_Stretch(squares.sum(axis=1), marked, start[None], start, _state(rng), diverged=False)]


def _go_on(plan: Plan, known: int, before: _Stretch, first_loss: float) -> _Stretch:
    """The stretch after `before`, which is the last of so many."""
    rng = np.random.default_rng(plan.seed)
    rng.bit_generator.state = before.rng
    with np.errstate(all="ignore"):  # a run that diverges is cut where its loss says so
        path = walk(plan, before.end, rng, from_step=STRETCH * (known - 1))
        squares, marked = judged(plan.task, plan.task.sizes.views(path))
        loss = squares.sum(axis=1)
    good = loss <= TOO_LARGE * first_loss  # NaN compares False
    n = STRETCH if good.all() else int(good.argmin())
    records = path[RECORD_EVERY - 1 : n : RECORD_EVERY].copy()
    return _Stretch(loss[:n], marked[:n], records, path[-1].copy(), _state(rng), diverged=n < STRETCH)


def _state(rng: np.random.Generator) -> dict[str, Any]:
    """Where a stream of random numbers has got to."""
    return dict(rng.bit_generator.state)


def _rate(schedule: Schedule, step: int) -> float:
    """The learning rate of the update that leads from this step to the next."""
    return next(rate for from_step, rate in reversed(schedule) if from_step <= step)


def _schedule(lr: LearningRate) -> Schedule:
    """A learning rate as a schedule; one that makes no sense is refused."""
    if not isinstance(lr, Sequence):
        return ((0, _number("lr", lr)),)
    try:
        pairs = [(at, rate) for at, rate in lr]
    except (TypeError, ValueError):
        raise ValueError(f"lr must be a number or pairs of (from_step, rate), got {lr!r}") from None
    schedule = tuple((whole("from_step", at, 0, MAX_STEPS), _number("lr", rate)) for at, rate in pairs)
    at = [from_step for from_step, _ in schedule]
    if not at or at[0] != 0 or at != sorted(set(at)):
        raise ValueError(f"the steps of a schedule must start at 0 and rise, got {at}")
    return schedule


def _number(name: str, value: float, most: float = np.inf) -> float:
    """`value` as a float, finite, not negative and at most `most`."""
    is_number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if not is_number or not isfinite(value) or not 0 <= value <= most:
        at_most = "" if most == np.inf else f" and at most {most:g}"
        raise ValueError(f"{name} must be a finite number, 0 or more{at_most}, got {value!r}")
    return float(value)
