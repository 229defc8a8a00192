"""Attention that hears of the words' order: one sentence, one kind of positions, any order of the words."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attention_core import (
    POSITION_KINDS,
    SENTENCES,
    MultiHeadTrace,
    attend_in_heads,
    permutation_residual,
    positioned,
)
from attention_ui.captions import winners
from attention_ui.settings import FIVE, OWN, SHUFFLES, Settings, embedding, order_of, visible

KINDS = dict(zip(("none", "sinusoidal", "learned", "RoPE", "ALiBi"), POSITION_KINDS, strict=True))
AS_WRITTEN = "as written"
ORDERS = (AS_WRITTEN, *SHUFFLES)
BITES = Settings(OWN, words="dog bites man", focus=1)  # and its mirror image: man bites dog


def order_for(name: str, n: int) -> tuple[int, ...]:
    """Return the order of n words that has this name.

    Examples
    --------
    >>> order_for("as written", 3), order_for("reverse", 3)
    ((0, 1, 2), (2, 1, 0))
    """
    return tuple(range(n)) if name == AS_WRITTEN else order_of(name, n)


@lru_cache(maxsize=512)
def read_in(settings: Settings, kind: str, strength: float, order: tuple[int, ...]) -> MultiHeadTrace:
    """Return what every head makes of the words in this order, with positions of this kind.

    Parameters
    ----------
    settings : Settings
        A sentence with an embedding; its mask belongs to the places.
    kind : str
        One of `POSITION_KINDS`.
    strength : float
        How much of a position vector is added, 0 to 1.
    order : tuple of int
        Word ``order[i]`` stands at place i.
    """
    return _read(settings, kind, strength, embedding(settings)[list(order)])


def realigned(settings: Settings, kind: str, strength: float, order: tuple[int, ...]) -> np.ndarray:
    """Return the focus word's weights in this order, put back to the words they belong to, (n_tokens,).

    Examples
    --------
    >>> plain, back = (realigned(BITES, "none", 0.1, order) for order in ((0, 1, 2), (2, 1, 0)))
    >>> bool(np.allclose(plain, back))
    True
    """
    weights = read_in(settings, kind, strength, order).heads[settings.head].weights[order.index(settings.focus)]
    back = np.empty(len(order))
    back[list(order)] = weights
    return back


@lru_cache(maxsize=1024)
def residual(settings: Settings, kind: str, strength: float, order: tuple[int, ...]) -> float:
    """Return ‖f(PX) − P f(X)‖: how far shuffling the words differs from shuffling the outputs.

    Examples
    --------
    >>> residual(BITES, "none", 0.1, (2, 1, 0)) < 1e-12 < residual(BITES, "sinusoidal", 0.1, (2, 1, 0))
    True
    """
    return permutation_residual(lambda X: _read(settings, kind, strength, X).output, embedding(settings), order)


@lru_cache(maxsize=64)
def moved_words(settings: Settings, kind: str, strength: float, order: tuple[int, ...]) -> int:
    """Return how many words become something else in this order.

    Examples
    --------
    >>> moved_words(BITES, "none", 0.1, (2, 1, 0)), moved_words(BITES, "sinusoidal", 0.1, (2, 1, 0))
    (0, 3)
    """
    before = read_in(settings, kind, strength, tuple(range(len(order)))).output[list(order)]
    after = read_in(settings, kind, strength, order).output
    return int((np.abs(after - before).max(axis=1) > 1e-9).sum())


@lru_cache(maxsize=512)
def cue_reading(
    sentence: str, kind: str, strength: float, features: tuple[tuple[str, tuple[float, ...]], ...] = ()
) -> tuple[float, int]:
    """Return the weight on a sentence's cue, and the position that its focus word listens to most."""
    settings = Settings(sentence, features=features)
    weights = read_in(settings, kind, strength, tuple(range(settings.n_tokens))).heads[0].weights[settings.focus]
    cue = SENTENCES[sentence].cue or 0
    best = winners(weights)
    return float(weights[cue]), cue if cue in best else best[0]


@lru_cache(maxsize=64)
def cues_held(kind: str, strength: float) -> tuple[str, ...]:
    """Return which of the five sentences still listen to their cue most.

    Examples
    --------
    >>> len(cues_held("sinusoidal", 0.1)), len(cues_held("sinusoidal", 1.0))
    (5, 1)
    """
    return tuple(name for name in FIVE if cue_reading(name, kind, strength)[1] == SENTENCES[name].cue)


def _read(settings: Settings, kind: str, strength: float, X: np.ndarray) -> MultiHeadTrace:
    """All heads on any features, (n, 4), first row first."""
    given = positioned(X, kind, strength)
    mask, scale = visible(settings), settings.scale
    return attend_in_heads(given.Q, given.K, given.V, settings.heads, settings.d_k, mask, scale, given.bias)
