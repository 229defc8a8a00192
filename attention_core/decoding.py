"""Generating word by word: the keys and values of earlier words are kept, not computed again."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace, FloatArray, _frozen, _real, _working_dtype, attention
from attention_core.masks import causal_mask


@dataclass(frozen=True, eq=False)
class KVCache:
    """The keys and values of all words so far, and what finding out about them has cost.

    Parameters
    ----------
    K : ndarray, (..., h_kv, n, d_k)
    V : ndarray, (..., h_kv, n, d_v)
        Read-only copies.
    dot_products : int
        How many products q · k all steps so far have used, in all heads together; 0 or more.

    Raises
    ------
    ValueError
        If the keys are not as many as the values.

    Examples
    --------
    >>> KVCache([[1.0, 2.0]], [[3.0]]).K.shape
    (1, 2)
    """

    K: FloatArray
    V: FloatArray
    dot_products: int = 0

    def __post_init__(self) -> None:
        K, V = _real("K", self.K), _real("V", self.V)
        if K.ndim < 2 or K.shape[:-1] != V.shape[:-1]:
            raise ValueError(f"K (..., n, d_k) and V (..., n, d_v) must share n, got {K.shape} and {V.shape}")
        dtype = _working_dtype(K, V)
        object.__setattr__(self, "K", _frozen(K, dtype))
        object.__setattr__(self, "V", _frozen(V, dtype))


def decode_step(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    cache: KVCache | None = None,
    *,
    bias: ArrayLike | None = None,
    scale: float | None = None,
) -> tuple[AttentionTrace, KVCache]:
    """Add new words after the remembered ones, and let each look back, at itself and at all before it.

    Parameters
    ----------
    Q : array_like, (..., h, n_new, d_k)
        Queries of the new words alone: one when generating, more when a prompt is read.
    K, V : array_like, (..., h_kv, n_new, d_k) and (..., h_kv, n_new, d_v)
        Their keys and values.
    cache : KVCache, optional
        What is remembered; nothing unless given. It stays as it is.
    bias, scale
        As in `attention`; the bias broadcasts to (..., h, n_new, n_old + n_new).

    Returns
    -------
    AttentionTrace
        Of the new words against all: the last n_new rows of the full causal pass.
    KVCache
        With the new words' keys and values, and its dot products counted on by those that the mask allows.

    Raises
    ------
    ValueError
        If there are not as many new queries as new keys, and as `attention`.

    References
    ----------
    Shazeer 2019, Fast Transformer Decoding, section 2.4 (incremental multi-head attention).

    Examples
    --------
    >>> cache = None
    >>> for x in ([[1.0]], [[2.0]], [[3.0]]):
    ...     trace, cache = decode_step(x, x, x, cache)
    >>> trace.weights.shape, cache.dot_products  # 1 + 2 + 3
    ((1, 3), 6)
    """
    Q, K, V = _real("Q", Q), _real("K", K), _real("V", V)
    if Q.ndim < 2 or K.ndim < 2 or Q.shape[-2] != K.shape[-2]:
        raise ValueError(f"each new word has one query and one key, got Q {Q.shape} and K {K.shape}")
    n_new, dot_products = Q.shape[-2], 0
    if cache is not None:
        K, V = _after("keys", cache.K, K), _after("values", cache.V, V)
        dot_products = cache.dot_products
    mask = causal_mask(n_new, K.shape[-2])  # aligned to the end: the new words are the last ones
    trace = attention(Q, K, V, mask=mask, bias=bias, scale=scale)
    dot_products += int(mask.sum()) * prod(trace.scores.shape[:-2])
    return trace, KVCache(trace.K, trace.V, dot_products)


def _after(name: str, old: FloatArray, new: FloatArray) -> FloatArray:
    """New rows behind the remembered ones."""
    if new.ndim != old.ndim or (*new.shape[:-2], new.shape[-1]) != (*old.shape[:-2], old.shape[-1]):
        raise ValueError(f"the new {name} of shape {new.shape} do not fit the remembered ones of shape {old.shape}")
    return np.concatenate([old, new], axis=-2)
