"""Masks: which query may look at which key. True = may look."""

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import BoolArray


def causal_mask(n_q: int, n_k: int | None = None) -> BoolArray:
    """Let each word look at itself and at what came before it.

    Parameters
    ----------
    n_q : int
        Number of queries, 0 or more.
    n_k : int, optional
        Number of keys, 0 or more; `n_q` unless given. The queries are the *last* `n_q` positions, as when
        new words follow remembered ones. If there are fewer keys than queries, the first rows see nothing.

    Returns
    -------
    ndarray of bool, (n_q, n_k)

    Raises
    ------
    ValueError
        If a size is negative or not a whole number.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.2.3.

    Examples
    --------
    >>> causal_mask(2, 4).astype(int)
    array([[1, 1, 1, 0],
           [1, 1, 1, 1]])
    """
    query_at, key_at = _positions(n_q, n_k)
    return key_at <= query_at


def sliding_window_mask(n_q: int, window: int, n_k: int | None = None) -> BoolArray:
    """Let each word look at the last `window` words, itself included, and at nothing after it.

    Parameters
    ----------
    n_q : int
        Number of queries, 0 or more.
    window : int
        How many keys each query sees at most, 1 or more.
    n_k : int, optional
        Number of keys, as in `causal_mask`.

    Returns
    -------
    ndarray of bool, (n_q, n_k)

    Raises
    ------
    ValueError
        If a size is negative or not a whole number, or the window is smaller than 1.

    References
    ----------
    Beltagy, Peters, Cohan 2020, Longformer, section 3.1.

    Examples
    --------
    >>> sliding_window_mask(4, 2).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    query_at, key_at = _positions(n_q, n_k)
    return (key_at <= query_at) & (key_at > query_at - _whole("window", window, 1))


def padding_mask(n_real: ArrayLike, n_k: int) -> BoolArray:
    """Hide the padding that fills a short sentence up to `n_k` words.

    Parameters
    ----------
    n_real : int or array_like of int, (batch,)
        How many words are real, 0 to `n_k`: one number, or one for each sentence of a batch.
    n_k : int
        Number of keys, padding included.

    Returns
    -------
    ndarray of bool, (n_k,) or (batch, 1, 1, n_k)
        It broadcasts to scores of shape (n_q, n_k) or (batch, heads, n_q, n_k).

    Raises
    ------
    ValueError
        If a number is negative or not whole, or more words are real than there are keys.

    References
    ----------
    Devlin et al. 2019, BERT, appendix A (the input's padding, kept out of the attention).

    Examples
    --------
    >>> padding_mask(3, 5).astype(int)
    array([1, 1, 1, 0, 0])
    >>> padding_mask([1, 2], 2).shape
    (2, 1, 1, 2)
    """
    n_k = _whole("n_k", n_k)
    lengths = np.asarray(n_real)
    if lengths.dtype.kind not in "iu" or lengths.ndim > 1:
        raise ValueError(f"n_real must be one whole number or a list of them, got {n_real!r}")
    if lengths.size and (lengths.min() < 0 or lengths.max() > n_k):
        raise ValueError(f"n_real must lie between 0 and n_k = {n_k}, got {n_real!r}")
    key_at = np.arange(n_k)
    if lengths.ndim == 0:
        return key_at < lengths  # (n_k,)
    return key_at < lengths[:, None, None, None]  # (batch, 1, 1, n_k)


def _positions(n_q: int, n_k: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the queries, as a column, and of the keys; both end at the same word."""
    n_q = _whole("n_q", n_q)
    n_k = n_q if n_k is None else _whole("n_k", n_k)
    return np.arange(n_k - n_q, n_k)[:, None], np.arange(n_k)


def _whole(name: str, value: int, least: int = 0) -> int:
    """`value` as an int of at least `least`; True is not a number here."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} must be a whole number, {least} or more, got {value!r}")
    return int(value)
