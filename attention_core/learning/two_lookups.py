"""Chapter 8: two heads learn two lookups, and one head tries."""

from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import FloatArray, attention
from attention_core.learning.circuits import Sizes, Weights
from attention_core.learning.descent import (
    MAX_STEPS,
    RECORD_EVERY,
    LearningRate,
    Task,
    checked_plan,
    descend,
    held_out,
    judged,
    whole,
)
from attention_core.learning.examples import PAYLOAD, Example, two_lookups_example, two_lookups_layouts

TARGETS = ("concat", "sum")


@dataclass(frozen=True, eq=False)
class TwoLookupsRun:
    """A training of one or more heads on two lookups, step by step; all arrays are read-only.

    A run that diverges ends with the last good step, before `diverged_at`.

    Parameters
    ----------
    steps : ndarray of int, (n,)
        0, 1, 2, …
    loss : ndarray, (n,)
        ‖output − target‖², summed over its entries, mean over 256 held-out examples, the same in all runs.
    on_match : ndarray, (n, n_heads, 2)
        Mean weight that each head puts on the right token of type A and on that of type B.
    on_type_A : ndarray, (n, n_heads)
        Mean weight that each head puts on both pairs of type A; the rest is on type B.
    specialisation : ndarray, (n,), or None
        How far the heads' `on_type_A` differ: 0 if all look alike, 1 if one sees A only and one B only. None
        for one head, as is `lookup`.
    lookup : ndarray, (n,), or None
        Mean weight on the right token, when one head is asked for A and another for B, whichever suits best.
    recorded : ndarray of int, (r,)
        0, 5, 10, …: the steps of which the matrices are kept.
    W_Q, W_K : ndarray, (r, n_heads, 8, d_k)
        The matrices at the recorded steps.
    W_V : ndarray, (r, n_heads, 8, d_v)
    W_O : ndarray, (r, n_heads, d_v, d_out)
        Head by head: the rows of the paper's W_O that belong to it. d_out is 6, or 3 for the sum.
    attention : ndarray, (r, n_heads, 5, 5)
        The weights of `example`, all tokens listening; only the last row, the query's, is trained.
    example : Example
        The example whose attention is recorded.
    target : str
        "concat" or "sum".
    collide : bool
        As given.
    diverged_at : int or None
        The first step whose loss is not finite, or above 100 times the first.
    uniform_loss : float
        The held-out loss of looking everywhere alike, with the best W_V and W_O for that.
    no_skill_loss : float
        The held-out loss of always saying 0.

    Examples
    --------
    >>> train_two_lookups(steps=5).W_O.shape
    (2, 2, 3, 6)
    """

    steps: NDArray[np.int_]
    loss: FloatArray
    on_match: FloatArray
    on_type_A: FloatArray
    specialisation: FloatArray | None
    lookup: FloatArray | None
    recorded: NDArray[np.int_]
    W_Q: FloatArray
    W_K: FloatArray
    W_V: FloatArray
    W_O: FloatArray
    attention: FloatArray
    example: Example
    target: str
    collide: bool
    diverged_at: int | None
    uniform_loss: float
    no_skill_loss: float


@dataclass(frozen=True, eq=False)
class HeadRemoved:
    """What is left of a trained model when one head may no longer speak; all arrays are read-only.

    Parameters
    ----------
    head : int
        Which head, from 0.
    recorded : ndarray of int, (r,)
        The steps of the run at which it was tried.
    loss : ndarray, (r,)
        The held-out loss without it.
    loss_A, loss_B : ndarray, (r,), or None
        The part of the loss in the entries that tell A's payload, and B's; None where the two are summed.

    Examples
    --------
    >>> remove_head(train_two_lookups(steps=5), head=0).recorded
    array([0, 5])
    """

    head: int
    recorded: NDArray[np.int_]
    loss: FloatArray
    loss_A: FloatArray | None
    loss_B: FloatArray | None


def train_two_lookups(
    seed: int = 0,
    *,
    n_heads: int = 2,
    steps: int = 800,
    lr: LearningRate = 0.05,
    d_k: int = 4,
    d_v: int = 3,
    std: float = 0.3,
    target: str = "concat",
    collide: bool = True,
    batch: int = 32,
) -> TwoLookupsRun:
    """Train W_Q, W_K, W_V and W_O to fetch two payloads at once: one of a pair of type A, one of type B.

    Four pairs [type | key | payload], two of each type, stand in any order; both types use the same three
    keys. The fifth token is the query, [1 | key | 1 | key]. It may not look at itself, and scores are not
    scaled. Plain gradient descent on a fresh batch a step; deterministic, and remembered, as `train_lookup`.

    Parameters
    ----------
    seed : int, 0 to 2³² − 1
        Of the first matrices and of the batches.
    n_heads : int, 1 to 4
    steps : int, 0 to 20,000
    lr : float or sequence of (from_step, rate)
        The learning rate, 0 or more, or the steps from which rates apply, the first of them 0. From about
        0.45 training may diverge.
    d_k, d_v : int, 1 to 16
        Widths of a head's query and keys, and of its values.
    std : float, 0 to 10
        Spread of the first matrices' entries.
    target : str
        "concat": the two payloads side by side. "sum": their sum.
    collide : bool
        Whether a pair that is not asked for may have the key that is asked of the other type. One head can
        learn the sum if that never happens.
    batch : int, 1 to 1,024
        Examples a step.

    Returns
    -------
    TwoLookupsRun

    Raises
    ------
    ValueError
        If an argument is outside its bounds.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.2; Michel et al. 2019, Are Sixteen Heads
    Really Better than One?

    Examples
    --------
    >>> two, one = train_two_lookups(), train_two_lookups(n_heads=1)
    >>> [round(float(loss), 2) for loss in (two.no_skill_loss, two.loss[-1], one.loss[-1])]
    [6.15, 0.01, 3.15]
    >>> bool(two.specialisation[-1] > 0.9)
    True
    """
    steps = whole("steps", steps, 0, MAX_STEPS)
    if target not in TARGETS:
        raise ValueError(f"target must be one of {', '.join(TARGETS)}, got {target!r}")
    n_heads = whole("n_heads", n_heads, 1, 4)
    task = two_lookups_task(n_heads, whole("d_k", d_k, 1, 16), whole("d_v", d_v, 1, 16), target, bool(collide))
    history = descend(checked_plan(task, seed=seed, lr=lr, std=std, batch=batch), steps)

    example = two_lookups_example(target, collide)
    W_Q, W_K, W_V, W_O = history.weights
    assert W_O is not None
    X = example.X
    trace = attention(X @ W_Q, X @ W_K, X @ W_V, mask=~np.eye(len(X), dtype=bool), scale=task.sizes.scale)

    on_match, on_type_A = history.marked[..., :2], history.marked[..., 2]
    wanted = task.held_out.target
    mean = task.held_out.keys[:, :, -PAYLOAD:].mean(axis=1)
    everywhere = np.tile(mean, 2) if target == "concat" else 2 * mean
    run = TwoLookupsRun(
        steps=np.arange(len(history.loss)),
        loss=history.loss,
        on_match=on_match,
        on_type_A=on_type_A,
        specialisation=np.ptp(on_type_A, axis=1) if n_heads > 1 else None,
        lookup=_best_pair(on_match)[1] if n_heads > 1 else None,
        recorded=np.arange(len(W_Q)) * RECORD_EVERY,
        W_Q=W_Q,
        W_K=W_K,
        W_V=W_V,
        W_O=W_O,
        attention=trace.weights,
        example=example,
        target=target,
        collide=bool(collide),
        diverged_at=history.diverged_at,
        uniform_loss=float(((everywhere - wanted) ** 2).sum(axis=1).mean()),
        no_skill_loss=float((wanted**2).sum(axis=1).mean()),
    )
    for x in vars(run).values():
        if isinstance(x, np.ndarray):
            x.setflags(write=False)
    return run


def match_heads(run: TwoLookupsRun) -> tuple[int, int]:
    """Tell which head looks up A and which B, as they may come out either way round.

    Parameters
    ----------
    run : TwoLookupsRun

    Returns
    -------
    tuple of two int
        The heads, from 0, for A and for B: those two that, at the end of the run, put the most weight on the
        right tokens. With one head it is the same for both.

    Examples
    --------
    >>> sorted(match_heads(train_two_lookups()))
    [0, 1]
    """
    if run.on_match.shape[1] == 1:
        return 0, 0
    best, _ = _best_pair(run.on_match[-1:])
    return best[0]


def remove_head(run: TwoLookupsRun, head: int) -> HeadRemoved:
    """Silence one head, its part of W_O set to 0, and judge what is left, at every recorded step.

    Parameters
    ----------
    run : TwoLookupsRun
    head : int
        Which head, from 0. The attention of the others stays what it is in the run.

    Returns
    -------
    HeadRemoved

    Raises
    ------
    ValueError
        If there is no such head.

    References
    ----------
    Michel et al. 2019, Are Sixteen Heads Really Better than One?, section 3.

    Examples
    --------
    >>> run = train_two_lookups()
    >>> removed = remove_head(run, match_heads(run)[0])  # the head that looks up A
    >>> [round(float(loss), 2) for loss in (removed.loss_A[-1], removed.loss_B[-1])]
    [3.16, 0.0]
    """
    n_records, n_heads, _, d_k = run.W_Q.shape
    head = whole("head", head, 0, n_heads - 1)
    W_O = run.W_O.copy()
    W_O[:, head] = 0
    task = two_lookups_task(n_heads, d_k, run.W_V.shape[-1], run.target, run.collide)
    squares, _ = judged(task, Weights(run.W_Q, run.W_K, run.W_V, W_O))  # (r, d_out)
    loss, by_type = squares.sum(axis=1), squares.reshape(n_records, -1, PAYLOAD).sum(axis=2)
    for x in (loss, by_type):
        x.setflags(write=False)
    loss_A, loss_B = by_type.T if run.target == "concat" else (None, None)
    return HeadRemoved(head, run.recorded, loss, loss_A, loss_B)


def _best_pair(on_match: FloatArray) -> tuple[list[tuple[int, int]], FloatArray]:
    """For each step, which two heads suit A and B best, and their mean weight on the right tokens, (n,)."""
    pairs = list(permutations(range(on_match.shape[1]), 2))
    mean = np.stack([(on_match[:, a, 0] + on_match[:, b, 1]) / 2 for a, b in pairs])  # (n_pairs, n)
    return [pairs[best] for best in mean.argmax(axis=0)], mean.max(axis=0)


@lru_cache(maxsize=16)
def two_lookups_task(n_heads: int, d_k: int, d_v: int, target: str, collide: bool) -> Task:
    """The two lookups as something to learn; made once, so that a run is found again."""
    layouts = two_lookups_layouts(target, collide)
    examples, which = held_out(layouts)
    matches = np.eye(4)[layouts.match[which]]  # (B, 2, n_keys)
    marks = np.stack([matches[:, 0], matches[:, 1], examples.keys[..., 0]], axis=-1)  # the last: is of type A
    d_out = examples.target.shape[-1]
    sizes = Sizes(n_heads, layouts.tokens.shape[-1], d_k, d_v, d_out, mixed=True, scaled=False)
    return Task(sizes, layouts, False, examples, marks)
