"""Grids of numbers: weights on one hue from 0 to 1, scores and matrices on two about 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from attention_ui.escape import for_plotly, labels, short
from attention_ui.figures.template import PALETTES, Palette, blank

MAX_TEXT = 16  # cells a side that still hold a readable number


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
) -> go.Figure:
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
    height : int
        In pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Integer axes with tick text.

    Examples
    --------
    >>> figure = grid(np.eye(2), "ab", "ab", theme="light", title="A", kind="weights")
    >>> figure.data[0].zmin, figure.data[0].zmax, tuple(figure.layout.yaxis.range)
    (0, 1, (1.5, -0.5))
    """
    palette = PALETTES[theme]
    values = np.asarray(values, float)
    shown = np.isfinite(values) if visible is None else np.isfinite(values) & visible
    written = max(values.shape) <= MAX_TEXT
    drawn = np.where(shown, values, np.nan)
    drawn = (_as_written(drawn) if written else drawn).astype(np.float32)
    figure = blank(theme, title, height)
    figure.add_heatmap(
        z=drawn,
        x=np.arange(len(columns)),
        y=np.arange(len(rows)),
        texttemplate="%{z:.2f}" if written else None,
        hovertext=_hover(values, shown, rows, columns, kind) if written else None,
        hoverinfo="text",
        showscale=False,
        xgap=1,
        ygap=1,
        meta={"part": part},
        **_colours(kind, drawn, limit, palette),
    )
    if not shown.all():
        _hatch(figure, shown, kind, palette)
    for outline in outlines:
        _frame(figure, outline, len(rows), len(columns), palette)
    # In a row of grids a wide one gets more room, and a tall one grows.
    figure.update_layout(meta={"width": 90 + 34 * (len(columns) if len(columns) > 7 else min(len(columns), 5))})
    figure.layout.height += 22 * max(0, len(rows) - 7)
    # Words stand on positions: repeated or numeric words are never categories.
    figure.update_xaxes(
        range=[-0.5, len(columns) - 0.5], showgrid=False, zeroline=False, side="bottom", title_text=axes[1]
    )
    figure.update_yaxes(range=[len(rows) - 0.5, -0.5], showgrid=False, zeroline=False, title_text=axes[0])
    figure.update_xaxes(tickvals=list(range(len(columns))), ticktext=[for_plotly(short(c)) for c in columns])
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=[for_plotly(short(r)) for r in rows])
    return figure


def _as_written(values: np.ndarray) -> np.ndarray:
    """The numbers as the table rounds them: a browser would round 0.125 up, and Python rounds it down."""
    return np.array([[float(f"{value:.2f}") for value in row] for row in values.tolist()])


def _colours(kind: str, drawn: np.ndarray, limit: float | None, palette: Palette) -> dict[str, object]:
    """The colour scale: fixed 0 to 1 in one hue, or even about 0 in two."""
    if kind == "weights":
        return {"zmin": 0, "zmax": 1, "colorscale": [[0, _tint(palette, 0.05)], [1, palette.weight]]}
    largest = limit or float(np.nanmax(np.abs(drawn), initial=0.0)) or 1.0
    middle = _tint(palette, 0.05)
    return {
        "zmin": -largest,
        "zmax": largest,
        "colorscale": [[0, palette.negative], [0.5, middle], [1, palette.weight]],
    }


def _tint(palette: Palette, share: float) -> str:
    """A little of the weight's hue on paper."""
    paper, hue = ([int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (palette.paper, palette.weight))
    return "#" + "".join(f"{round(p + share * (h - p)):02X}" for p, h in zip(paper, hue, strict=True))


def _hover(
    values: np.ndarray, shown: np.ndarray, rows: Sequence[str], columns: Sequence[str], kind: str
) -> list[list[str]]:
    """Full words and four decimals for every cell."""
    down, across = labels(tuple(rows)), labels(tuple(columns))
    link = " → " if kind in ("weights", "scores") else " · "
    return [
        [
            for_plotly(f"{row}{link}{column}: " + (f"{value:.4f}" if seen else "masked"))
            for column, value, seen in zip(across, line, lit, strict=True)
        ]
        for row, line, lit in zip(down, values, shown, strict=True)
    ]


def _hatch(figure: go.Figure, shown: np.ndarray, kind: str, palette: Palette) -> None:
    """Hatch the cells that may not be seen and write what they hold."""
    rows, columns = np.nonzero(~shown)
    corners = np.array([[-0.48, -0.48], [0.48, -0.48], [0.48, 0.48], [-0.48, 0.48], [np.nan, np.nan]])
    squares = (np.stack([columns, rows], axis=1)[:, None, :] + corners).reshape(-1, 2)
    figure.add_scatter(
        x=squares[:, 0],
        y=squares[:, 1],
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillpattern={"shape": "/", "size": 6, "solidity": 0.25, "fgcolor": palette.quiet, "bgcolor": palette.paper},
        hoverinfo="skip",
        name="masked",
    )
    if max(shown.shape) > MAX_TEXT:
        return
    blind = [not any(row) for row in shown.tolist()]
    text = "0" if kind == "weights" else "−∞"
    figure.add_scatter(
        x=columns,
        y=rows,
        mode="text",
        text=["" if blind[row] else text for row in rows],
        textfont={"color": palette.ink, "size": 12},
        hoverinfo="skip",
    )
    for row in np.flatnonzero(blind):
        figure.add_annotation(
            x=(shown.shape[1] - 1) / 2,
            y=int(row),
            text="nothing to see",
            showarrow=False,
            bgcolor=palette.paper,
            font={"color": palette.ink},
        )


def _frame(figure: go.Figure, outline: Outline, n_rows: int, n_columns: int, palette: Palette) -> None:
    """Frame a row, a column or a cell in its role's colour."""
    top, bottom = (0, n_rows - 1) if outline.row is None else (outline.row, outline.row)
    left, right = (0, n_columns - 1) if outline.column is None else (outline.column, outline.column)
    figure.add_shape(
        type="rect",
        x0=left - 0.5,
        x1=right + 0.5,
        y0=top - 0.5,
        y1=bottom + 0.5,
        line={"color": getattr(palette, outline.role), "width": 2.5},
    )
