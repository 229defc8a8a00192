"""A sentence of the hand-built model that knows its order, by any kind of positions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import FloatArray, _one_number
from attention_core.model import project
from attention_core.positions import alibi_bias, learned_positions, rope, sinusoidal_positions

POSITION_KINDS = ("none", "sinusoidal", "learned", "rope", "alibi")
DEFAULT_STRENGTH = 0.1  # how much of a position vector is added to a word
ROPE_ANGLE = 0.1  # radians by which a query or key is turned for each position
ALIBI_HEADS = 8  # the first of eight heads has the slope 1/2


@dataclass(frozen=True, eq=False)
class Positioned:
    """A sentence that knows its order, ready for `attend_in_heads`; all arrays are read-only.

    Parameters
    ----------
    kind : str
        One of `POSITION_KINDS`.
    X : ndarray, (n, 4)
        Features, with the position vectors added where the kind adds any.
    Q, K, V : ndarray, (n, 2)
        Plain queries, keys and values; Q and K turned by their position for ``"rope"``.
    bias : ndarray, (n, n), or None
        To be added to the scaled scores, for ``"alibi"``.

    Examples
    --------
    >>> positioned([[1, 0, 0, 0], [1, 1, 1, 0]], "alibi").bias
    array([[ 0. , -0.5],
           [-0.5,  0. ]])
    """

    kind: str
    X: FloatArray
    Q: FloatArray
    K: FloatArray
    V: FloatArray
    bias: FloatArray | None


def positioned(X: ArrayLike, kind: str, strength: float = DEFAULT_STRENGTH, seed: int = 0) -> Positioned:
    """Give the words of the hand-built model their places, first to last.

    Parameters
    ----------
    X : array_like, (n, 4)
        Features, one word a row, in the order in which they stand.
    kind : str
        ``"none"``; ``"sinusoidal"`` and ``"learned"`` add strength · PE to X; ``"rope"`` turns q and k by
        `ROPE_ANGLE` a position; ``"alibi"`` takes 1/2 off a scaled score for each word in between.
    strength : float
        How much of the position vectors is added, 0 to 1; only those kinds read it.
    seed : int
        Of the learned table, 0 or more.

    Returns
    -------
    Positioned

    Raises
    ------
    ValueError
        If `X` is not (n, 4), there is no such kind, or the strength or the seed is out of range.

    References
    ----------
    Vaswani et al. 2017, section 3.5; Su et al. 2021 (RoPE); Press et al. 2022 (ALiBi).

    Examples
    --------
    >>> river_bank = [[1, 0, 0, 0], [1, 1, 1, 0]]
    >>> positioned(river_bank, "sinusoidal").X.round(2)
    array([[1.  , 0.1 , 0.  , 0.1 ],
           [1.08, 1.05, 1.  , 0.1 ]])
    >>> positioned(river_bank, "rope").Q.round(2)
    array([[2.  , 0.  ],
           [1.79, 2.19]])
    """
    features = np.array(X, dtype=np.float64)
    if features.ndim != 2:
        raise ValueError(f"X must be (n, 4), got shape {features.shape}")
    if kind not in POSITION_KINDS:
        raise ValueError(f"kind must be one of {', '.join(POSITION_KINDS)}, got {kind!r}")
    if not 0 <= _one_number("strength", strength) <= 1:
        raise ValueError(f"strength must lie between 0 and 1, got {strength!r}")
    n, d_model = features.shape
    bias = None
    if kind == "sinusoidal":
        features += strength * sinusoidal_positions(n, d_model)
    if kind == "learned":
        features += strength * learned_positions(n, d_model, seed)
    Q, K, V = project(features)
    if kind == "rope":
        turns = ROPE_ANGLE * np.arange(n)  # one pair of entries, whose angle is 1 for each "position"
        Q, K = rope(Q, turns), rope(K, turns)
    if kind == "alibi":
        bias = alibi_bias(ALIBI_HEADS, n)[0]
        bias.setflags(write=False)
    for x in (features, Q, K, V):
        x.setflags(write=False)
    return Positioned(kind, features, Q, K, V, bias)
