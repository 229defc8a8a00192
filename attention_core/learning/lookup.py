"""Chapter 7: one head learns to look something up."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import FloatArray, attention
from attention_core.learning.circuits import Sizes
from attention_core.learning.descent import (
    MAX_STEPS,
    RECORD_EVERY,
    LearningRate,
    Task,
    checked_plan,
    descend,
    held_out,
    whole,
)
from attention_core.learning.examples import PAYLOAD, Example, Layouts, lookup_example, lookup_layouts


@dataclass(frozen=True, eq=False)
class LookupRun:
    """A training of one head, step by step; all arrays are read-only.

    A run that diverges ends with the last good step, before `diverged_at`.

    Parameters
    ----------
    steps : ndarray of int, (n,)
        0, 1, 2, …
    loss : ndarray, (n,)
        ‖output − target‖², summed over the 3 entries, mean over 256 held-out examples, the same in all runs.
    match : ndarray, (n,)
        The weight on the right token, mean over the held-out examples.
    recorded : ndarray of int, (r,)
        0, 5, 10, …: the steps of which the matrices are kept.
    W_Q, W_K : ndarray, (r, 6, d_k)
        The matrices at the recorded steps.
    W_V : ndarray, (r, 6, 3)
    attention : ndarray, (r, 4, 4)
        The weights of `example`, all tokens listening; only the last row, the query's, is trained.
    example : Example
        The example whose attention is recorded.
    diverged_at : int or None
        The first step whose loss is not finite, or above 100 times the first.
    uniform_loss : float
        The held-out loss of looking everywhere alike, with the best W_V for that.
    no_skill_loss : float
        The held-out loss of always saying 0.

    Examples
    --------
    >>> train_lookup(seed=1, steps=10).recorded
    array([ 0,  5, 10])
    """

    steps: NDArray[np.int_]
    loss: FloatArray
    match: FloatArray
    recorded: NDArray[np.int_]
    W_Q: FloatArray
    W_K: FloatArray
    W_V: FloatArray
    attention: FloatArray
    example: Example
    diverged_at: int | None
    uniform_loss: float
    no_skill_loss: float


def train_lookup(
    seed: int = 0,
    *,
    steps: int = 300,
    lr: LearningRate = 0.10,
    d_k: int = 4,
    std: float = 0.2,
    scaled: bool = False,
    attend_self: bool = False,
    batch: int = 32,
) -> LookupRun:
    """Train W_Q, W_K and W_V to fetch the payload of the token whose id the query names.

    Three candidates [one-hot id | payload] stand in any order; the fourth token is the
    query, [one-hot id | 0].
    Plain gradient descent on a fresh batch a step. A run depends on its arguments alone, and with fewer steps
    it is the beginning of the longer one. Recent runs are remembered: going on costs only the new steps.

    Parameters
    ----------
    seed : int, 0 to 2³² − 1
        Of the first matrices and of the batches.
    steps : int, 0 to 20,000
    lr : float or sequence of (from_step, rate)
        The learning rate, 0 or more, or the steps from which rates apply, the first of them 0. Above about 1
        training diverges.
    d_k : int, 1 to 16
        Width of the query and the keys.
    std : float, 0 to 10
        Spread of the first matrices' entries.
    scaled : bool
        Whether scores are divided by √d_k.
    attend_self : bool
        Whether the query may look at itself; it then ends up half on the match, half on itself.
    batch : int, 1 to 1,024
        Examples a step.

    Returns
    -------
    LookupRun

    Raises
    ------
    ValueError
        If an argument is outside its bounds.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, equation 1; Elhage et al. 2021, A Mathematical Framework
    for Transformer Circuits (only W_Q W_Kᵀ and W_V are determined).

    Examples
    --------
    >>> run = train_lookup(steps=300)
    >>> run.loss[[0, 100, 300]].round(2)
    array([3.29, 0.03, 0.  ])
    >>> run.attention[-1, 3].round(2)  # the query's row: nearly all on the third token, its match
    array([0.02, 0.02, 0.96, 0.  ])
    """
    steps = whole("steps", steps, 0, MAX_STEPS)
    task = lookup_task(whole("d_k", d_k, 1, 16), bool(scaled), bool(attend_self))
    history = descend(checked_plan(task, seed=seed, lr=lr, std=std, batch=batch), steps)

    example = lookup_example()
    W_Q, W_K, W_V = (W[:, 0] for W in history.weights[:3])  # (r, 6, d): there is one head
    X = example.X
    hidden_from_itself = None if attend_self else ~np.eye(len(X), dtype=bool)
    trace = attention(X @ W_Q, X @ W_K, X @ W_V, mask=hidden_from_itself, scale=task.sizes.scale)

    target = task.held_out.target
    everywhere = task.held_out.keys[:, :, -PAYLOAD:].sum(axis=1) / 3  # W_V makes up for a look at itself
    run = LookupRun(
        steps=np.arange(len(history.loss)),
        loss=history.loss,
        match=history.marked[:, 0, 0],
        recorded=np.arange(len(W_Q)) * RECORD_EVERY,
        W_Q=W_Q,
        W_K=W_K,
        W_V=W_V,
        attention=trace.weights,
        example=example,
        diverged_at=history.diverged_at,
        uniform_loss=float(((everywhere - target) ** 2).sum(axis=1).mean()),
        no_skill_loss=float((target**2).sum(axis=1).mean()),
    )
    for x in vars(run).values():
        if isinstance(x, np.ndarray):
            x.setflags(write=False)
    return run


@lru_cache(maxsize=8)
def lookup_task(d_k: int, scaled: bool, attend_self: bool) -> Task:
    """The lookup as something to learn; made once, so that a run is found again."""
    layouts: Layouts = lookup_layouts()
    examples, which = held_out(layouts, attend_self)
    marks = np.eye(examples.keys.shape[1])[layouts.match[which]]  # (B, 1, n_keys)
    sizes = Sizes(1, layouts.tokens.shape[-1], d_k, PAYLOAD, PAYLOAD, mixed=False, scaled=scaled)
    return Task(sizes, layouts, attend_self, examples, np.swapaxes(marks, 1, 2))
