"""What masks hide: the mask that a chapter shows, and how far each output hears of each word under it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attention_core import MASKINGS, WRONG_MASKINGS, AttentionTrace, attend_in_head, influence, project
from attention_ui.settings import Rows, Settings, embedding, qkv, visible

PRESENT = "the sidebar's mask"
NO_MASK = "no mask"
MISTAKES = (*WRONG_MASKINGS, NO_MASK)


def masked(settings: Settings) -> Settings:
    """Return the settings with a causal mask where they have none.

    Examples
    --------
    >>> masked(Settings()).mask, masked(Settings(mask="window")).mask
    ('causal', 'window')
    """
    return settings.but(mask="causal") if settings.mask == "none" else settings


def unmasked(settings: Settings, rows: np.ndarray) -> AttentionTrace:
    """Return the shown head's trace without a mask, for any words in these places.

    Parameters
    ----------
    settings : Settings
        Width, scale and head.
    rows : numpy.ndarray
        As `words_of` gives them: X, (n, 4), or Q, K and V side by side, (n, 6).
    """
    changed = tuple(map(tuple, rows.tolist()))
    return _unmasked(changed, settings.has_embedding, settings.head, settings.d_k, settings.scale)


# Each way to mask asks for the same sentence, with the same word changed in turn.
@lru_cache(maxsize=512)
def _unmasked(rows: Rows, embedded: bool, head: int, d_k: int, scale: bool) -> AttentionTrace:
    """The trace of one head on words given as their rows."""
    Q, K, V = project(rows) if embedded else np.split(np.array(rows), 3, axis=1)
    return attend_in_head(Q, K, V, head, d_k, None, scale)


def words_of(settings: Settings) -> np.ndarray:
    """Return what is changed when a word is changed: its x, or its q, k and v where it has no x."""
    return embedding(settings) if settings.has_embedding else np.hstack(qkv(settings))


def museum_weights(settings: Settings, masking: str) -> np.ndarray:
    """Return the weights under one way to mask, right or wrong, (n_tokens, n_tokens)."""
    return MASKINGS[masking](unmasked(settings, words_of(settings)).logits)


@lru_cache(maxsize=512)
def influences(settings: Settings, masking: str) -> np.ndarray:
    """Return how far each output of the shown head moves when each word is changed, (n_tokens, n_tokens).

    Parameters
    ----------
    settings : Settings
        What the sidebar says.
    masking : str
        One of `MASKINGS`, or `NO_MASK`, or `PRESENT` for the settings' own mask.
    """
    mask = visible(settings)

    def outputs(rows: np.ndarray) -> np.ndarray:
        trace = unmasked(settings, rows)
        if masking == NO_MASK:
            return trace.output
        if masking == PRESENT:
            Q, K, V = project(rows) if settings.has_embedding else np.split(rows, 3, axis=1)
            return attend_in_head(Q, K, V, settings.head, settings.d_k, mask, settings.scale).output
        return MASKINGS[masking](trace.logits) @ trace.V

    return influence(outputs, words_of(settings))


@lru_cache(maxsize=512)
def leak_of(settings: Settings, masking: str) -> float:
    """Return the largest move of an output before a word that changes: what leaks out of the future.

    Examples
    --------
    >>> leak_of(Settings(), "right"), leak_of(Settings(), "zero before softmax") > 0.01
    (0.0, True)
    """
    return float(np.triu(influences(settings, masking), 1).max(initial=0))
