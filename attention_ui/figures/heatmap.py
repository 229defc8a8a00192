"""Grids of numbers: weights on one hue from 0 to 1, scores and matrices on two about 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from attention_ui.escape import for_plotly, labels, short
from attention_ui.figures.template import PALETTES, Figure, Palette, drawn

MAX_TEXT = 16  # cells a side that still hold a readable number
BLACK, WHITE = "#000000", "#FFFFFF"  # only these two leave no cell between them without a readable ink


@dataclass(frozen=True)
class Outline:
    """A lit part of a grid, as slices of rows and columns; None lights all of that axis."""

    row: int | None = None
    column: int | None = None
    role: str = "query"


def grid(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    theme: str,
    title: str,
    kind: str = "matrix",
    visible: np.ndarray | None = None,
    outlines: Sequence[Outline] = (),
    axes: tuple[str, str] = ("", ""),
    limit: float | None = None,
    part: str = "",
    height: int = 340,
    width: int | None = None,
) -> Figure:
    """Draw a grid of numbers, row 0 on top, masked cells hatched.

    Parameters
    ----------
    values : numpy.ndarray
        The numbers, (n_rows, n_columns); -inf is drawn as masked.
    rows, columns : sequence of str
        The words or names along the axes, shown literally.
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What the grid is.
    kind : str
        ``"weights"`` for one hue from 0 to 1, anything else for two hues about 0.
    visible : numpy.ndarray, optional
        True where a cell may be seen, (n_rows, n_columns).
    outlines : sequence of Outline
        Rows, columns or cells to frame.
    axes : tuple of str
        Titles of the vertical and the horizontal axis.
    limit : float, optional
        The number with the deepest colour, for maps that are compared; the largest shown if None.
    part : str
        The part of the formula that the grid is.
    width : int, optional
        The pixels that it takes in a row of grids; by its columns if None.
    height : int
        In pixels.
    width : int, optional
        Its share of a row of figures, in pixels; follows from the columns if None.

    Returns
    -------
    Figure
        Integer axes with tick text; the inks of the numbers in the cells' `meta`.

    Examples
    --------
    >>> figure = grid(np.eye(2), "ab", "ab", theme="light", title="A", kind="weights")
    >>> figure["data"][0]["zmin"], figure["data"][0]["zmax"], figure["layout"]["yaxis"]["range"]
    (0, 1, [1.5, -0.5])
    """
    palette = PALETTES[theme]
    values = np.asarray(values, float)
    shown = np.isfinite(values) if visible is None else np.isfinite(values) & visible
    written = max(values.shape) <= MAX_TEXT
    drawn_values = np.where(shown, values, np.nan)
    drawn_values = (_as_written(drawn_values) if written else drawn_values).astype(np.float32)
    colours = _colours(kind, drawn_values, limit, palette)
    cells = {
        "type": "heatmap",
        "z": drawn_values,
        "x": np.arange(len(columns)),
        "y": np.arange(len(rows)),
        "texttemplate": "%{z:.2f}" if written else None,
        "hovertext": _hover(values, shown, rows, columns, kind) if written else None,
        "hoverinfo": "text",
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "meta": {"part": part, "inks": _inks(colours, palette)},
        **colours,
    }
    bare = {"showgrid": False, "zeroline": False}
    most = {} if width is None else {"most": round(1.6 * width)}  # one of many does not stretch where it is alone
    layout = {
        # In a row of grids a wide one gets more room, and a tall one grows.
        "meta": {"width": width or 90 + 34 * (len(columns) if len(columns) > 7 else min(len(columns), 5)), **most},
        # Words stand on positions: repeated or numeric words are never categories.
        "xaxis": {**bare, "range": [-0.5, len(columns) - 0.5], "title": {"text": axes[1]}, **_ticks(columns)},
        "yaxis": {**bare, "range": [len(rows) - 0.5, -0.5], "title": {"text": axes[0]}, **_ticks(rows)},
        "shapes": [_frame(outline, len(rows), len(columns), palette) for outline in outlines],
        "annotations": [_blind(int(row), len(columns), palette) for row in np.flatnonzero(~shown.any(axis=1))],
    }
    traces = [cells] if shown.all() else [cells, *_hatch(shown, kind, palette)]
    return drawn(theme, title, height + 22 * max(0, len(rows) - 7), traces, layout)


def _ticks(words: Sequence[str]) -> dict[str, Any]:
    """Whole positions, each with its word."""
    return {"tickvals": list(range(len(words))), "ticktext": [for_plotly(short(word)) for word in words]}


def _as_written(values: np.ndarray) -> np.ndarray:
    """The numbers as the table rounds them: a browser would round 0.125 up, and Python rounds it down."""
    return np.array([[float(f"{value:.2f}") for value in row] for row in values.tolist()])


def _colours(kind: str, drawn: np.ndarray, limit: float | None, palette: Palette) -> dict[str, object]:
    """The colour scale: fixed 0 to 1 in one hue, or even about 0 in two."""
    if kind == "weights":
        return {"zmin": 0, "zmax": 1, "colorscale": [[0, _tint(palette, 0.05)], [1, palette.weight]]}
    return diverging(limit or float(np.nanmax(np.abs(drawn), initial=0.0)) or 1.0, palette)


def diverging(largest: float, palette: Palette) -> dict[str, object]:
    """The colour scale of numbers on both sides of 0, even about it."""
    middle = _tint(palette, 0.05)
    return {
        "zmin": -largest,
        "zmax": largest,
        "colorscale": [[0, palette.negative], [0.5, middle], [1, palette.weight]],
    }


def _tint(palette: Palette, share: float) -> str:
    """A little of the weight's hue on paper."""
    paper, hue = _channels(palette.paper), _channels(palette.weight)
    return "#" + "".join(f"{round(p + share * (h - p)):02X}" for p, h in zip(paper, hue, strict=True))


def _channels(colour: str) -> list[int]:
    """Red, green and blue, 0 to 255."""
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


def _inks(colours: dict[str, Any], palette: Palette) -> dict[str, object]:
    """The ink of the numbers from `low` to `high`, whose cells are near the paper, and that of all others."""
    dark = _luminance(np.array(_channels(palette.paper))) < _TIE
    low, high = _near(tuple((share, colour) for share, colour in colours["colorscale"]), dark=bool(dark))
    least, span = colours["zmin"], colours["zmax"] - colours["zmin"]
    near, far = (WHITE, BLACK) if dark else (BLACK, WHITE)
    return {"low": least + low * span, "high": least + high * span, "near": near, "far": far}


_TIE = (0.05 * 1.05) ** 0.5 - 0.05  # the luminance on which black and white are read equally well, at 4.58 : 1


@lru_cache
def _near(colorscale: tuple[tuple[float, str], ...], *, dark: bool) -> tuple[float, float]:
    """The part of a colour scale, as shares of it, that stays on the paper's side of the tie."""
    stops, colours = zip(*colorscale, strict=True)
    shares = np.linspace(0, 1, 2001)
    mixed = np.stack([np.interp(shares, stops, channel) for channel in np.transpose([*map(_channels, colours)])], -1)
    near = shares[(_luminance(mixed) < _TIE) == dark]
    return float(near.min()), float(near.max())


def _luminance(channels: np.ndarray) -> np.ndarray:
    """WCAG's relative luminance of colours, (..., 3)."""
    share = channels / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ [0.2126, 0.7152, 0.0722])


def _hover(
    values: np.ndarray, shown: np.ndarray, rows: Sequence[str], columns: Sequence[str], kind: str
) -> list[list[str]]:
    """Full words and four decimals for every cell."""
    down, across = (map(for_plotly, labels(tuple(names))) for names in (rows, columns))
    link = " → " if kind in ("weights", "scores") else " · "
    heads = [f"{link}{column}: " for column in across]
    return [
        [
            f"{row}{head}{value:.4f}" if seen else f"{row}{head}masked"
            for head, value, seen in zip(heads, line, lit, strict=True)
        ]
        for row, line, lit in zip(down, values.tolist(), shown.tolist(), strict=True)
    ]


def _hatch(shown: np.ndarray, kind: str, palette: Palette) -> list[dict[str, Any]]:
    """Hatch the cells that may not be seen and write what they hold."""
    rows, columns = np.nonzero(~shown)
    corners = np.array([[-0.48, -0.48], [0.48, -0.48], [0.48, 0.48], [-0.48, 0.48], [np.nan, np.nan]])
    squares = (np.stack([columns, rows], axis=1)[:, None, :] + corners).reshape(-1, 2)
    stripes = {"fgcolor": palette.quiet, "fgopacity": 0.5, "bgcolor": palette.paper}  # faint enough to read on
    hatch = {
        "type": "scatter",
        "name": "masked",
        "x": squares[:, 0],
        "y": squares[:, 1],
        "mode": "lines",
        "line": {"width": 0},
        "fill": "toself",
        "fillpattern": {"shape": "/", "size": 6, "solidity": 0.25, **stripes},
        "hoverinfo": "skip",
    }
    if max(shown.shape) > MAX_TEXT:
        return [hatch]
    text = "0" if kind == "weights" else "−∞"
    blind = set(np.flatnonzero(~shown.any(axis=1)).tolist())  # such a row has one sentence instead
    numbers = {
        "type": "scatter",
        "x": columns,
        "y": rows,
        "mode": "text",
        "text": ["" if row in blind else text for row in rows.tolist()],
        "textfont": {"color": palette.ink, "size": 12 if kind == "weights" else 15},
        "hoverinfo": "skip",
    }
    return [hatch, numbers]


def _blind(row: int, n_columns: int, palette: Palette) -> dict[str, Any]:
    """Say of a row that its mask leaves it nothing."""
    look = {"showarrow": False, "bgcolor": palette.paper, "font": {"color": palette.ink}}
    return {"x": (n_columns - 1) / 2, "y": row, "text": "nothing to see", **look}


def _frame(outline: Outline, n_rows: int, n_columns: int, palette: Palette) -> dict[str, Any]:
    """Frame a row, a column or a cell in its role's colour."""
    top, bottom = (0, n_rows - 1) if outline.row is None else (outline.row, outline.row)
    left, right = (0, n_columns - 1) if outline.column is None else (outline.column, outline.column)
    box = {"x0": left - 0.5, "x1": right + 0.5, "y0": top - 0.5, "y1": bottom + 0.5}
    return {"type": "rect", **box, "line": {"color": getattr(palette, outline.role), "width": 2.5}}
