"""Numbers of positions as HTML: one vector in full, one step by the offset matrix, residuals of every kind."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attention_core import offset_matrix, sinusoidal_positions, wavelengths
from attention_ui.captions import number, tiny, vector
from attention_ui.ledger import paragraphs, plain_table
from attention_ui.ordering import KINDS, residual
from attention_ui.settings import Settings


@lru_cache(maxsize=256)
def vector_table(d: int, p: int) -> str:
    """Return the whole vector of position p with the wavelength of each pair, as HTML.

    Examples
    --------
    >>> "<td>6.28</td><td>628.32</td>" in vector_table(4, 1)
    True
    """
    vector_p = sinusoidal_positions(p + 1, d)[p]
    columns = ("dimensions", *(f"{i}, {i + 1}" for i in range(0, d, 2)))
    rows = [
        ("wavelength", *(number(wave, 2 if wave < 1000 else 0) for wave in wavelengths(d)[::2])),
        ("sin", *(number(x) for x in vector_p[0::2])),
        ("cos", *(number(x) for x in vector_p[1::2])),
    ]
    return f'<div class="al-small">{plain_table(columns, rows, f"The vector of position {p}")}</div>'


@lru_cache(maxsize=256)
def offset_lines(T: int, d: int, p: int, k: int) -> str:
    """Return the step from two positions by the same matrix, and how far off the worst position is, as HTML.

    Examples
    --------
    >>> "(0.00, 1.00) · M = <b>(0.84, 0.54)</b>" in offset_lines(8, 4, 3, 1)
    True
    """
    P, M = sinusoidal_positions(T + k, d), offset_matrix(k, d)
    pair = M[:2, :2]
    block = f"[[{number(pair[0, 0])}, {number(pair[0, 1])}], [{number(pair[1, 0])}, {number(pair[1, 1])}]]"
    steps = [
        f"from {start} to {start + k}: {vector(P[start, :2])} · M = <b>{vector(P[start, :2] @ pair)}</b>"
        for start in dict.fromkeys((0, p))
    ]
    gap = tiny(float(np.abs(P[:T] @ M - P[k:]).max()))
    return paragraphs(
        f"The first two dimensions, with the block M = {block}: {'; '.join(steps)}.",
        f"The largest gap between PE of p · M and PE of p + {k}, over all {T} positions: <b>{gap}</b>.",
    )


@lru_cache(maxsize=512)
def residual_table(settings: Settings, strength: float, order: tuple[int, ...]) -> str:
    """Return ‖f(PX) − P f(X)‖ for every kind of positions under several masks, as HTML.

    Examples
    --------
    >>> residual_table(Settings(), 0.1, (0, 1, 2, 3, 4, 5)).count("<td>0</td>")
    10
    """
    masks = ["none", "causal", *([settings.mask] if settings.mask not in ("none", "causal") else [])]
    rows = [
        (name, *(tiny(residual(settings.but(mask=mask), kind, strength, order)) for mask in masks))
        for name, kind in KINDS.items()
    ]
    columns = ("positions", *("no mask" if mask == "none" else f"{mask} mask" for mask in masks))
    return plain_table(columns, rows, "Residuals of the shuffle")
