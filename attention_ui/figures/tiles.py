"""Pictures of what is held of a grid: which cells a mask keeps, and one tile at a time of the logits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attention_ui.escape import for_plotly, short
from attention_ui.figures.template import PALETTES, Figure, drawn

TO_COME, FORGOTTEN, HELD = range(3)


def cells(
    looked_at: np.ndarray,
    *,
    theme: str,
    title: str,
    names: tuple[Sequence[str], Sequence[str]] = ((), ()),
    height: int = 250,
    width: int = 240,
) -> Figure:
    """Draw which cells of a grid are looked at, without numbers.

    Parameters
    ----------
    looked_at : numpy.ndarray
        True where a query looks at a key, (n, n).
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What the grid is.
    names : two sequences of str
        Along the vertical and the horizontal axis, shown literally.
    height, width : int
        In pixels; the width is what it takes in a row of pictures, at least.

    Returns
    -------
    Figure
        One heatmap, row 0 on top.

    Examples
    --------
    >>> cells(np.eye(2, dtype=bool), theme="light", title="A")["data"][0]["z"].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    palette = PALETTES[theme]
    n_rows, n_columns = looked_at.shape
    heat = _heat(
        looked_at.astype(np.float32), [palette.paper, palette.weight], gap=1 if max(looked_at.shape) <= 32 else 0
    )
    layout = {
        "meta": {"width": width},
        "xaxis": {"range": [-0.5, n_columns - 0.5], **_bare("" if names[1] else "is heard"), **_ticks(names[1])},
        "yaxis": {"range": [n_rows - 0.5, -0.5], **_bare("" if names[0] else "listens"), **_ticks(names[0])},
    }
    return drawn(theme, title, height, [heat], layout)


def one_tile(
    values: np.ndarray,
    state: np.ndarray,
    words: Sequence[str],
    tile: tuple[slice, slice],
    *,
    theme: str,
    title: str,
    height: int = 340,
) -> Figure:
    """Draw the numbers of the tile that is held, and which cells were seen and forgotten, or are to come.

    Parameters
    ----------
    values : numpy.ndarray
        The logits, (n, n); only those of the tile are written, -inf as masked.
    state : numpy.ndarray
        `TO_COME`, `FORGOTTEN` or `HELD`, (n, n).
    words : sequence of str
        Along both axes, shown literally.
    tile : tuple of slice
        Its rows and columns.
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What the grid is.
    height : int
        In pixels.

    Returns
    -------
    Figure
        Integer axes with tick text.

    Examples
    --------
    >>> held = np.array([[2, 2], [0, 0]])
    >>> figure = one_tile(np.eye(2), held, "ab", (slice(0, 1), slice(0, 2)), theme="light", title="A")
    >>> figure["data"][1]["text"]
    ['1.00', '0.00']
    """
    palette = PALETTES[theme]
    n = len(words)
    rows, columns = np.nonzero(state == HELD)
    held = values[rows, columns]
    heat = _heat(state.astype(np.float32) / 2, [palette.paper, palette.hairline, palette.card], gap=2)
    numbers = {
        "type": "scatter",
        "x": columns,
        "y": rows,
        "mode": "text",
        "text": [f"{value:.2f}".replace("-0.00", "0.00") if np.isfinite(value) else "−∞" for value in held.tolist()],
        "textfont": {"color": palette.ink, "size": 13 if n <= 8 else 10},
        "hoverinfo": "skip",
    }
    ticks = _ticks(words)
    box = {"x0": tile[1].start - 0.5, "x1": tile[1].stop - 0.5, "y0": tile[0].start - 0.5, "y1": tile[0].stop - 0.5}
    layout = {
        "meta": {"width": 300},
        "xaxis": {"range": [-0.5, n - 0.5], **_bare("is heard"), **ticks},
        "yaxis": {"range": [n - 0.5, -0.5], **_bare("listens"), **ticks},
        "shapes": [{"type": "rect", **box, "line": {"color": palette.query, "width": 2.5}}],
    }
    return drawn(theme, title, height + 22 * max(0, n - 7), [heat, numbers], layout)


def _heat(z: np.ndarray, colours: Sequence[str], gap: int) -> dict[str, Any]:
    """A heatmap of a few states."""
    stops = [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]
    return {
        "type": "heatmap",
        "z": z,
        "x": np.arange(z.shape[1]),
        "y": np.arange(z.shape[0]),
        "zmin": 0,
        "zmax": 1,
        "colorscale": stops,
        "showscale": False,
        "xgap": gap,
        "ygap": gap,
        "hoverinfo": "skip",
    }


def _ticks(words: Sequence[str]) -> dict[str, Any]:
    """Whole positions, each with its word."""
    return {"tickvals": list(range(len(words))), "ticktext": [for_plotly(short(word)) for word in words]}


def _bare(title: str) -> dict[str, Any]:
    """An axis without lines or ticks of its own."""
    return {"showgrid": False, "zeroline": False, "title": {"text": title}}
