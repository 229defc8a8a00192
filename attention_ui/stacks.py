"""What chapter 12 computes once for each setting: a stack of random blocks, cross-attention, words one by one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from attention_core import (
    AttentionTrace,
    KVCache,
    StackTrace,
    attention,
    decode_step,
    generation_scores,
    random_blocks,
    transformer_stack,
)
from attention_ui.settings import Settings, embedding, shown_head, visible


@dataclass(frozen=True, eq=False)
class Generated:
    """What one head did up to one word: its row, the cache after it, and how far it is from the full pass."""

    row: AttentionTrace
    cache: KVCache
    without: int
    difference: float


@lru_cache(maxsize=256)
def stack(settings: Settings, blocks: int, seed: int, norm: str) -> StackTrace:
    """Return the residual stream of the sentence through a stack of untrained blocks."""
    return transformer_stack(embedding(settings), random_blocks(blocks, seed), norm=norm, mask=visible(settings))


@lru_cache(maxsize=256)
def cross(settings: Settings, other: Settings) -> AttentionTrace:
    """Return the shown head with queries of one sentence, and keys and values of another."""
    here, there = shown_head(settings), shown_head(other)
    return attention(here.Q, there.K, there.V, scale=here.scale)


@lru_cache(maxsize=256)
def generated(settings: Settings, word: int) -> Generated:
    """Return what the shown head knows once it has read the words up to one, each with what it remembers.

    Examples
    --------
    >>> found = generated(Settings("cat-sat"), 3)
    >>> found.cache.dot_products, found.without, found.difference < 1e-12
    (10, 20, True)
    """
    trace = shown_head(settings)
    full = shown_head(settings.but(mask="causal"))
    cache, rows = None, []
    for t in range(word + 1):
        new = slice(t, t + 1)
        row, cache = decode_step(trace.Q[new], trace.K[new], trace.V[new], cache, scale=trace.scale)
        rows.append(row)
    assert cache is not None
    outputs = np.vstack([each.output for each in rows])
    difference = float(np.abs(outputs - full.output[: word + 1]).max())
    return Generated(rows[-1], cache, generation_scores(word + 1, cached=False), difference)
