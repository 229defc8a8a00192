"""Sentences made from numbers: alt texts, captions and the answers to guesses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_ui.escape import labels

TIE = 1e-9


def percent(share: float) -> str:
    """Write a share of 1 as a percentage that never rounds a part to nothing or to all.

    Examples
    --------
    >>> percent(0.7718), percent(0.0), percent(0.99998), percent(0.0002)
    ('77 %', '0 %', '> 99.9 %', '< 0.1 %')
    """
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    digits = 1 if 0 < share < 0.01 or 0.99 < share < 1 else 0
    return f"{100 * share:.{digits}f} %"


def number(value: float, places: int = 2) -> str:
    """Write a number with a true minus sign and no minus zero.

    Examples
    --------
    >>> number(-3.149), number(-0.001), number(4)
    ('−3.15', '0.00', '4.00')
    """
    text = f"{value:.{places}f}"
    return f"{0:.{places}f}" if float(text) == 0 else text.replace("-", "−")


def plain(value: float) -> str:
    """Write a number as short as its two decimals allow.

    Examples
    --------
    >>> plain(2.0), plain(-0.5), plain(5.657)
    ('2', '−0.5', '5.66')
    """
    text = number(value)
    return text.rstrip("0").rstrip(".")


def exact(value: float) -> str:
    """Write a number in full, so that a calculator can go on from it.

    Examples
    --------
    >>> exact(2.0), exact(-0.125), exact(0.1 + 0.2)
    ('2', '−0.125', '0.3')
    """
    return f"{value + 0.0:.12g}".replace("-", "−")


def vector(values: np.ndarray, places: int = 2) -> str:
    """Write a vector in brackets.

    Examples
    --------
    >>> vector(np.array([3.3155, 0.2281]))
    '(3.32, 0.23)'
    """
    return "(" + ", ".join(number(value, places) for value in values) + ")"


def listed(words: Sequence[str]) -> str:
    """Join words as a sentence does.

    Examples
    --------
    >>> listed(["cat", "sat", "down"])
    'cat, sat and down'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def winners(weights: np.ndarray) -> list[int]:
    """Return the positions with the largest weight, more than one where they tie within 1e-9.

    Examples
    --------
    >>> winners(np.array([0.25, 0.5, 0.25])), winners(np.array([0.5, 0.5])), winners(np.zeros(2))
    ([1], [0, 1], [])
    """
    return [int(i) for i in np.flatnonzero(weights >= weights.max() - TIE)] if weights.any() else []


def listens(tokens: tuple[str, ...], focus: int, weights: np.ndarray) -> str:
    """Say whom a word listens to most, naming ties as ties and a row with nothing to see.

    Parameters
    ----------
    tokens : tuple of str
        The sentence.
    focus : int
        The position that listens.
    weights : numpy.ndarray
        Its row of weights, (n_tokens,).

    Examples
    --------
    >>> listens(("river", "bank"), 1, np.array([0.77, 0.23]))
    'bank listens most to river, 77 %'
    >>> listens(("a", "b"), 0, np.array([0.5, 0.5]))
    'a listens equally to a and b, 50 % each'
    """
    names = labels(tokens)
    best = winners(weights)
    if not best:
        return f"{names[focus]} has nothing to see: every weight is 0"
    share = percent(float(weights[best[0]]))
    heard = ["itself" if i == focus and len(best) == 1 else names[i] for i in best]
    if len(best) == 1:
        return f"{names[focus]} listens most to {heard[0]}, {share}"
    if len(best) == len(tokens):
        return f"{names[focus]} listens equally to {listed(heard)}, {share} each"
    return f"{names[focus]} listens most to {listed(heard)}, a tie at {share} each"


def meaning(output: np.ndarray) -> str:
    """Say where a vector of the value plane points: right is nature, up made by people, left food.

    Examples
    --------
    >>> meaning(np.array([3.3, 0.2])), meaning(np.array([-3.1, 0.3])), meaning(np.zeros(2))
    ('points at nature', 'points at food', 'points nowhere yet')
    """
    x, y = (float(v) for v in output)
    if max(abs(x), abs(y)) < 0.005:
        return "points nowhere yet"
    if abs(abs(x) - abs(y)) < TIE:
        return "points halfway between two senses"
    if abs(x) > abs(y):
        return f"points at {'nature' if x > 0 else 'food'}"
    return f"points {'at' if y > 0 else 'away from'} made by people"


def aligned(names: Sequence[str], query: int, q: np.ndarray, keys: np.ndarray) -> str:
    """Say which key a query meets best.

    Examples
    --------
    >>> aligned(["river", "bank"], 1, np.array([2, 2]), np.array([[2, 0], [2, -2]]))
    'bank asks (2, 2); the largest dot product, 4, is with river'
    """
    asks = f"{names[query]} asks ({', '.join(plain(float(x)) for x in q)})"
    if not np.any(q):
        return f"{asks}: it asks for nothing, so every dot product is 0"
    return f"{asks}; {largest('dot product', names, keys @ q)}"


def largest(what: str, names: Sequence[str], values: np.ndarray) -> str:
    """Say which number of a row is the largest, naming ties as ties; -inf stands for a masked one.

    Examples
    --------
    >>> largest("score", ("a", "b", "c"), np.array([2, 1, -np.inf]))
    'the largest score, 2, is with a'
    >>> largest("score", ("a", "b", "c"), np.array([2, 2, -np.inf])), largest("score", ("a", "b"), np.zeros(2))
    ('the largest score, 2, is shared by a and b', 'every score is 0')
    """
    top = float(values.max())
    if top == -np.inf:
        return "nothing to see"
    best = [names[int(i)] for i in np.flatnonzero(values >= top - TIE)]
    if len(best) == len(names) > 1:
        return f"every {what} is {plain(top)}"
    return f"the largest {what}, {plain(top)}, is {'with' if len(best) == 1 else 'shared by'} {listed(best)}"


def tiny(value: float) -> str:
    """Write a number that may be no more than a rounding error.

    Examples
    --------
    >>> tiny(0.0), tiny(2.2e-16), tiny(1.2345)
    ('0', '2e−16', '1.23')
    """
    if value == 0:
        return "0"
    return number(value) if value >= 0.005 else f"{value:.0e}".replace("e-", "e−")


def nearest(value: float, choices: Sequence[float]) -> int:
    """Return the place of the choice that is nearest to a value.

    Examples
    --------
    >>> nearest(0.957, (0.125, 0.35, 0.65, 0.95))
    3
    """
    return int(np.abs(np.asarray(choices) - value).argmin())


def counted(count: int, thing: str) -> str:
    """Write how many things there are, by name.

    Examples
    --------
    >>> counted(1, "independent way"), counted(3, "word")
    ('1 independent way', '3 words')
    """
    return f"{count} {thing}" + ("" if count == 1 else "s")
