"""What happens to a layer's output when the words are shuffled."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import FloatArray


def permutation_residual(
    f: Callable[[FloatArray], ArrayLike], X: ArrayLike, order: Sequence[int] | NDArray[np.integer[Any]]
) -> float:
    """Measure how far shuffling before `f` differs from shuffling after it: ‖f(PX) − P f(X)‖.

    Parameters
    ----------
    f : callable
        From (n, d) to (n, anything).
    X : array_like, (n, d)
        One word a row.
    order : sequence of int
        A permutation of 0 … n − 1; (PX)[i] = X[order[i]].

    Returns
    -------
    float
        The Frobenius norm of the difference: 0 up to rounding if `f` is permutation-equivariant.

    Raises
    ------
    ValueError
        If `order` is not a permutation of the rows.

    References
    ----------
    Lee et al. 2019, Set Transformer, property 1 (permutation equivariance).

    Examples
    --------
    >>> permutation_residual(lambda X: 2 * X, [[1.0], [2.0]], [1, 0])
    0.0
    >>> round(permutation_residual(lambda X: X.cumsum(axis=0), [[1.0], [2.0]], [1, 0]), 2)
    2.24
    """
    rows = np.asarray(X, dtype=np.float64)
    permutation = np.asarray(order)
    n = len(rows)
    if permutation.shape != (n,) or sorted(permutation.tolist()) != list(range(n)):
        raise ValueError(f"order must be a permutation of 0 to {n - 1} for {n} rows, got {order!r}")
    difference = np.asarray(f(rows[permutation])) - np.asarray(f(rows))[permutation]
    return float(np.linalg.norm(difference))
