"""Attention on paper: what a printed line says, and what a calculator makes of the line before it."""

from dataclasses import dataclass

import numpy as np

from attention_core.attention import FloatArray
from attention_core.steps import RowSteps


@dataclass(frozen=True, eq=False)
class PaperRow:
    """One row of attention printed to some decimals, each line twice.

    What is printed is rounded once, at the end. Its twin, named ``..._again``, is what a reader gets who goes on
    from the printed line before. Where the two differ, the printed line must say that it comes from unrounded
    values.

    Parameters
    ----------
    scaled, logits, exps, weights : ndarray, (n,)
        Printed: the scores divided, the same masked (-inf = hidden), exponentiated and normalised.
    total : float
    output : ndarray, (d_v,)
    exps_again, weights_again : ndarray, (n,)
    total_again : float
    output_again : ndarray, (d_v,)
    weights_sum : float
        What the printed weights add up to.

    Examples
    --------
    >>> PaperRow.__dataclass_fields__["total"].type
    <class 'float'>
    """

    scaled: FloatArray
    logits: FloatArray
    exps: FloatArray
    total: float
    weights: FloatArray
    output: FloatArray
    exps_again: FloatArray
    total_again: float
    weights_again: FloatArray
    output_again: FloatArray
    weights_sum: float


def paper_row(steps: RowSteps, V: FloatArray, divisor: float, places: int = 2) -> PaperRow:
    """Print a row to some decimals and redo every line from the printed one before it.

    Parameters
    ----------
    steps : RowSteps
        The row, unrounded.
    V : ndarray, (n, d_v)
        The values.
    divisor : float
        What the scores were divided by: √d_k, or 1.
    places : int
        Decimals, 0 or more.

    Returns
    -------
    PaperRow

    Examples
    --------
    >>> from math import sqrt
    >>> from attention_core import attention, row_steps
    >>> V = np.array([[1, 0], [4, 0], [0, 2], [1, 1]], float)
    >>> row = paper_row(row_steps(attention([[2, 0]], [[0, 1], [2, 0], [1, 1], [0, 2]], V), 0), V, sqrt(2))
    >>> row.exps[1], row.exps_again[1]  # of 2.8284…, and of 2.83
    (np.float64(16.92), np.float64(16.95))
    >>> row.output, row.output_again, row.weights_sum
    (array([3.03, 0.4 ]), array([3. , 0.4]), 0.99)
    """
    logits, exps = _printed(steps.logits, places), _printed(steps.exps, places)
    total, weights = float(_printed(np.array(steps.total), places)), _printed(steps.weights, places)
    return PaperRow(
        scaled=_printed(steps.scores / divisor, places),
        logits=logits,
        exps=exps,
        total=total,
        weights=weights,
        output=_printed(steps.output, places),
        exps_again=_printed(np.exp(logits - steps.shift), places),
        total_again=float(_printed(exps.sum(), places)),
        weights_again=_printed(exps / total if total else np.zeros_like(exps), places),
        output_again=_printed(weights @ V, places),
        weights_sum=float(_printed(weights.sum(), places)),
    )


def _printed(values: FloatArray, places: int) -> FloatArray:
    """Numbers as text shows them, without minus zero; NumPy's own round can differ in the last place."""
    return np.array([float(f"{value:.{places}f}") + 0.0 for value in values.ravel()]).reshape(values.shape)
