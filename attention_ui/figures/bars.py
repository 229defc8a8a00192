"""Bars: one row of weights from 0 to 1, or other numbers beside one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from attention_ui.captions import number
from attention_ui.escape import for_plotly, labels, short
from attention_ui.figures.template import PALETTES, drawn


def bars(
    values: np.ndarray,
    names: Sequence[str],
    *,
    theme: str,
    title: str,
    top: float = 1.0,
    line: float | None = None,
    places: int = 2,
    height: int = 260,
) -> go.Figure:
    """Draw numbers as bars on a fixed scale from 0: weights, unless another top is given.

    Parameters
    ----------
    values : numpy.ndarray
        One bar each, (n,), 0 or more.
    names : sequence of str
        Shown literally under the bars.
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What they are.
    top : float
        The largest number that the scale has room for.
    line : float, optional
        Where a dotted line is drawn to compare with.
    places : int
        Decimals above the bars.
    height : int
        In pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        Integer axis with tick text.

    Examples
    --------
    >>> bars(np.array([0.25, 0.75]), "ab", theme="light", title="w").data[0].text
    ('0.25', '0.75')
    """
    palette = PALETTES[theme]
    full = labels(tuple(names))
    trace = {
        "type": "bar",
        "x": np.arange(len(values)),
        "y": values,
        "marker": {"color": palette.weight},
        "text": [number(value, places) for value in values.tolist()],
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [for_plotly(f"{name}: {w:.4f}") for name, w in zip(full, values.tolist(), strict=True)],
        "meta": {"part": "softmax"},
    }
    ticks = {"tickvals": list(range(len(names))), "ticktext": [for_plotly(short(name)) for name in names]}
    layout = {
        "xaxis": {"range": [-0.5, len(names) - 0.5], "showgrid": False, "zeroline": False, **ticks},
        "yaxis": {"range": [0, 1.12 * top], "nticks": 4},
        "bargap": 0.35,
    }
    if line is not None:
        ends = {"x0": -0.5, "x1": len(names) - 0.5, "y0": line, "y1": line}
        layout["shapes"] = [{"type": "line", **ends, "line": {"color": palette.key, "width": 2, "dash": "dot"}}]
    return drawn(theme, title, height, [trace], layout)
