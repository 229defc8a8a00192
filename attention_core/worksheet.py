"""The worksheet: one row of attention to fill in, what each usual mistake gives, and a judge of answers."""

from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import AttentionTrace, FloatArray, attention
from attention_core.masks import _whole
from attention_core.steps import row_steps

LINES = ("scores", "logits", "exps", "total", "weights", "output")
MISTAKES = (
    "scale forgotten",
    "divided after exp",
    "softmax over the column",
    "mask forgotten",
    "wrong row",
    "wrong total",
)


@dataclass(frozen=True, eq=False)
class Answers:
    """What stands in every blank of a worksheet, done right or with one mistake; all arrays are read-only.

    Parameters
    ----------
    mistake : str or None
        One of `MISTAKES`; None for the right answers.
    row : int
        The row of Q that was used: another one for ``"wrong row"``; the row whose total was taken for
        ``"wrong total"``.
    scores, logits : ndarray, (n_k,)
        q · k, and the same scaled and masked (-inf = hidden).
    shift : float
        Taken off every logit before the exponential, as in `row_steps`; 0 for a largest logit up to ±50.
    exps : ndarray, (n_k,)
        exp(logits - shift).
    total : ndarray, (n_k,)
        What each exp is divided by: one number throughout, except for ``"softmax over the column"``.
    weights : ndarray, (n_k,)
    output : ndarray, (d_v,)

    Examples
    --------
    >>> sheet = worksheet([[2.0, 0]], [[0, 1], [2, 0], [1, 1], [0, 2]], [[1], [4], [0], [1]], 0)
    >>> sheet.right.exps.round(2)
    array([ 1.  , 16.92,  4.11,  1.  ])
    """

    mistake: str | None
    row: int
    scores: FloatArray
    logits: FloatArray
    shift: float
    exps: FloatArray
    total: FloatArray
    weights: FloatArray
    output: FloatArray


@dataclass(frozen=True, eq=False)
class Worksheet:
    """One row of attention, right and wrong.

    Parameters
    ----------
    divisor : float
        What the scores are divided by: √d_k, or 1.
    V : ndarray, (n_k, d_v)
        The values that the weights mix; read-only.
    right : Answers
    wrong : tuple of Answers
        In the order of `MISTAKES`, wrong rows and totals from the first word to the last. Some may agree with
        the right answers or with one another.

    Examples
    --------
    >>> sheet = worksheet([[2.0, 0]], [[0, 1], [2, 0], [1, 1], [0, 2]], [[1], [4], [0], [1]], 0)
    >>> [answers.mistake for answers in sheet.wrong]
    ['scale forgotten', 'divided after exp', 'softmax over the column']
    """

    divisor: float
    V: FloatArray
    right: Answers
    wrong: tuple[Answers, ...]


@dataclass(frozen=True)
class Verdict:
    """What a typed number looks like.

    Parameters
    ----------
    right : bool
        It agrees with the right answer to the printed precision; then nothing else is said.
    rounding : bool
        It could come from calculating with rounded numbers, or from cutting digits off.
    mistakes : tuple of str
        Every mistake that gives this number, in the order of `MISTAKES`.
    rows : tuple of int
        The words whose row or total was taken, if ``"wrong row"`` or ``"wrong total"`` is among them.

    Examples
    --------
    >>> Verdict(right=False, rounding=True, mistakes=()).kind
    'rounding'
    """

    right: bool
    rounding: bool
    mistakes: tuple[str, ...]
    rows: tuple[int, ...] = ()

    @property
    def kind(self) -> str:
        """``"right"``, ``"mistake"``, ``"rounding"`` or ``"other"``: the first that holds."""
        if self.right:
            return "right"
        if self.mistakes:
            return "mistake"
        return "rounding" if self.rounding else "other"


def worksheet(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    query: int,
    *,
    mask: ArrayLike | None = None,
    scaled: bool = True,
) -> Worksheet:
    """Work out one row of attention, the right way and with each of the usual mistakes.

    Parameters
    ----------
    Q, K, V : array_like, (n_q, d_k), (n_k, d_k) and (n_k, d_v)
        Without batch or head axes.
    query : int
        The row, 0 to n_q - 1.
    mask : array_like of bool, optional
        True = may look. Without one there is no mask to forget.
    scaled : bool
        Whether the scores are divided by √d_k. If not, there is no scale to forget.

    Returns
    -------
    Worksheet

    Raises
    ------
    ValueError
        If there is no such row, the arrays have leading axes, and as in `attention`.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, equation 1.

    Examples
    --------
    >>> Q, K, V = [[0, 1], [2, 0]], [[0, 1], [2, 0]], [[1, 0], [4, 0]]
    >>> for answers in worksheet(Q, K, V, query=1).wrong:
    ...     print(answers.mistake, answers.weights.round(2))
    scale forgotten [0.02 0.98]
    divided after exp [0.02 0.98]
    softmax over the column [0.33 0.94]
    wrong row [0.67 0.33]
    wrong total [0.33 5.59]
    """
    trace = attention(Q, K, V, mask=mask, scale=None if scaled else 1.0)
    right = _answers(None, trace, query)
    divisor = sqrt(trace.Q.shape[-1]) if scaled else 1.0
    wrong = []
    if scaled:
        forgotten = _answers("scale forgotten", attention(Q, K, V, mask=mask, scale=1.0), query)
        wrong += [
            forgotten,
            replace(
                forgotten,
                mistake="divided after exp",
                exps=forgotten.exps / divisor,
                total=forgotten.total / divisor,
            ),
        ]
    with np.errstate(over="ignore"):  # another row's exp may be too large: no finite answer agrees with it
        exps = np.exp(trace.logits - right.shift)  # (n_q, n_k)
    wrong.append(_divided("softmax over the column", query, right, exps.sum(axis=0), trace.V))
    if mask is not None:
        unmasked = attention(Q, K, V, scale=trace.scale)
        wrong.append(_answers("mask forgotten", unmasked, query))
    others = [i for i in range(len(trace.Q)) if i != query]
    wrong += [_answers("wrong row", trace, i) for i in others]
    wrong += [_divided("wrong total", i, right, exps[i].sum(), trace.V) for i in others]
    for answers in (right, *wrong):
        for line in LINES:
            getattr(answers, line).setflags(write=False)
    return Worksheet(divisor, trace.V, right, tuple(wrong))


def judge(sheet: Worksheet, line: str, index: int, typed: float, precision: int) -> Verdict:
    """Say whether a number typed into a blank is right, a matter of rounding, or the fruit of a mistake.

    Parameters
    ----------
    sheet : Worksheet
    line : str
        One of `LINES`.
    index : int
        Which number of the line, from 0; 0 for the total.
    typed : float
        Any number, infinities and NaN included; -inf is right where a logit is hidden.
    precision : int
        How many decimals the worksheet is printed with, 0 to 12.

    Returns
    -------
    Verdict
        A number counts as an answer if it lies within half a unit of the last printed decimal of it. Right
        wins over everything; more than one mistake may be named.

    Raises
    ------
    ValueError
        If there is no such blank, or the precision is out of range.

    References
    ----------
    Brown, Burton 1978, Diagnostic models for procedural bugs in basic mathematical skills.

    Examples
    --------
    >>> Q = [[0, 1], [1, 1], [2, 0], [1, 0]]
    >>> K, V = [[0, 1], [2, 0], [1, 1], [0, 2]], [[1, 0], [4, 0], [0, 2], [1, 1]]
    >>> sheet = worksheet(Q, K, V, query=2)
    >>> judge(sheet, "weights", 1, 0.73, precision=2).kind
    'right'
    >>> judge(sheet, "weights", 1, 0.85, precision=2).mistakes
    ('scale forgotten', 'divided after exp')
    >>> judge(sheet, "output", 0, 3.00, precision=2).kind  # from the rounded weights
    'rounding'
    """
    if line not in LINES:
        raise ValueError(f"line must be one of {', '.join(LINES)}, got {line!r}")
    n_blanks = 1 if line == "total" else len(getattr(sheet.right, line))
    if _whole("index", index) >= n_blanks:
        raise ValueError(f"index must be 0 to {n_blanks - 1} in the line {line!r}, got {index}")
    if _whole("precision", precision) > 12:
        raise ValueError(f"precision must be 0 to 12 decimals, got {precision}")
    unit = 10.0**-precision
    value = _blank(sheet.right, line, index)[0]
    if _agrees(typed, value, unit / 2):
        return Verdict(right=True, rounding=False, mistakes=())

    lowest, highest = _rounded_span(sheet, line, index, precision)
    rounding = lowest - _slack(lowest) <= typed <= highest + _slack(highest) or _agrees(typed, value, unit)
    hits = [
        answers
        for answers in sheet.wrong
        if any(_agrees(typed, wrong, unit / 2) for wrong in _blank(answers, line, index))
    ]
    mistakes = tuple(name for name in MISTAKES if any(answers.mistake == name for answers in hits))
    rows = {answers.row for answers in hits if answers.mistake in ("wrong row", "wrong total")}
    return Verdict(False, rounding, mistakes, tuple(sorted(rows)))


def _answers(mistake: str | None, trace: AttentionTrace, query: int) -> Answers:
    """The answers that one row of a trace gives."""
    steps = row_steps(trace, query)
    total = np.full(len(steps.exps), steps.total)
    return Answers(
        mistake,
        query,
        steps.scores,
        steps.logits,
        steps.shift,
        steps.exps,
        total,
        steps.weights,
        steps.output,
    )


def _divided(mistake: str, row: int, right: Answers, total: ArrayLike, V: FloatArray) -> Answers:
    """The right answers up to the exps, which are then divided by a total that is not theirs."""
    totals = np.broadcast_to(np.asarray(total, dtype=np.float64), right.exps.shape).copy()  # (n_k,)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # inf agrees with no answer
        weights = np.divide(right.exps, totals, out=np.zeros_like(totals), where=totals > 0)
        output = weights @ V
    return replace(right, mistake=mistake, row=row, total=totals, weights=weights, output=output)


def _blank(answers: Answers, line: str, index: int) -> list[float]:
    """What a blank may hold: one number, or any of the columns' totals; what overflowed is left out."""
    numbers = getattr(answers, line)
    return [float(x) for x in (numbers if line == "total" else numbers[index : index + 1]) if x < inf]


def _agrees(typed: float, value: float, tolerance: float) -> bool:
    """Whether a typed number lies within the tolerance; a hidden -inf only agrees with itself."""
    return typed == value or abs(typed - value) <= tolerance + _slack(value)


def _slack(value: float) -> float:
    """What floating point itself may be off by."""
    return 1e-12 * max(1.0, abs(value)) if abs(value) < inf else 0.0


def _rounded_span(sheet: Worksheet, line: str, index: int, precision: int) -> tuple[float, float]:
    """The least and the greatest answer, if every line before may be carried on as it is or as printed."""
    right = sheet.right
    rounded_divisor = round(sheet.divisor, precision)  # 1 or more, as the divisor is
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):  # a span may reach past floats
        low, high = _or_rounded(right.scores, right.scores, precision)
        spans = {"scores": (low, high)}
        quotients = [x / divisor for x in (low, high) for divisor in (sheet.divisor, rounded_divisor)]
        quotients = [np.where(right.logits == -inf, -inf, x) for x in quotients]
        logits = [*quotients, *(x.round(precision) for x in quotients)]
        spans["logits"] = np.min(logits, axis=0), np.max(logits, axis=0)
        if right.shift:
            logits = [x - x.max() for x in logits]  # whatever the largest was taken to be, it is taken off
        low, high = np.exp(np.min(logits, axis=0)), np.exp(np.max(logits, axis=0))
        low, high = _or_rounded(low, high, precision)
        spans["exps"] = low, high
        total_low, total_high = _or_rounded(low.sum(keepdims=True), high.sum(keepdims=True), precision)
        spans["total"] = total_low, total_high
        low = np.divide(low, total_high, out=np.zeros_like(low), where=total_high > 0)
        high = np.divide(high, total_low, out=(high > 0) * 1.0, where=total_low > 0).clip(max=1)
        low, high = _or_rounded(low, high, precision)
        spans["weights"] = low, high
        terms = low[:, None] * sheet.V, high[:, None] * sheet.V  # (n_k, d_v)
        low, high = np.minimum(*terms).sum(axis=0), np.maximum(*terms).sum(axis=0)
        spans["output"] = _or_rounded(low, high, precision)
    lowest, highest = spans[line]
    return float(lowest[index]), float(highest[index])


def _or_rounded(low: FloatArray, high: FloatArray, precision: int) -> tuple[FloatArray, FloatArray]:
    """A span widened by what its two ends are rounded to."""
    return np.minimum(low, low.round(precision)), np.maximum(high, high.round(precision))
