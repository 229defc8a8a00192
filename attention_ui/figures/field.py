"""Large maps of numbers on two numbered axes: colour alone, too many cells to write in."""

from __future__ import annotations

import numpy as np

from attention_ui.figures.heatmap import diverging
from attention_ui.figures.template import PALETTES, Figure, drawn


def field(
    values: np.ndarray,
    *,
    theme: str,
    title: str,
    axes: tuple[str, str],
    row: int | None = None,
    height: int = 360,
) -> Figure:
    """Draw numbers between -1 and 1 as colours about 0, row 0 on top, one row framed.

    Parameters
    ----------
    values : numpy.ndarray
        The numbers, (n_rows, n_columns).
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What the map is.
    axes : tuple of str
        Titles of the vertical and the horizontal axis.
    row : int, optional
        The row to frame.
    height : int
        In pixels.

    Returns
    -------
    Figure
        Whole-number axes that count from 0.

    Examples
    --------
    >>> field(np.eye(3), theme="light", title="M", axes=("from", "to"))["layout"]["yaxis"]["range"]
    [2.5, -0.5]
    """
    palette = PALETTES[theme]
    n_rows, n_columns = values.shape
    cells = {
        "type": "heatmap",
        "z": np.asarray(values, np.float32),
        "showscale": False,
        "hovertemplate": f"{axes[0]} %{{y}}, {axes[1]} %{{x}}: %{{z:.3f}}<extra></extra>",
        **diverging(1.0, palette),
    }
    bare = {"showgrid": False, "zeroline": False, "tickformat": "d"}
    layout = {
        "meta": {"width": 420},
        "xaxis": {**bare, "range": [-0.5, n_columns - 0.5], "title": {"text": axes[1]}},
        "yaxis": {**bare, "range": [n_rows - 0.5, -0.5], "title": {"text": axes[0]}},
    }
    if row is not None:
        box = {"x0": -0.5, "x1": n_columns - 0.5, "y0": row - 0.5, "y1": row + 0.5}
        layout["shapes"] = [{"type": "rect", **box, "line": {"color": palette.key, "width": 2.5}}]
    return drawn(theme, title, height, [cells], layout)
