"""Bars from 0 to 1: one row of weights, or several beside one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from attention_ui.captions import number
from attention_ui.escape import for_plotly, labels, short
from attention_ui.figures.template import PALETTES, drawn


def bars(
    weights: np.ndarray, names: Sequence[str], *, theme: str, title: str, places: int = 2, height: int = 260
) -> go.Figure:
    """Draw weights as bars on a fixed scale from 0 to 1.

    Parameters
    ----------
    weights : numpy.ndarray
        One bar each, (n,).
    names : sequence of str
        Shown literally under the bars.
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What they are.
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
        "x": np.arange(len(weights)),
        "y": weights,
        "marker": {"color": palette.weight},
        "text": [number(weight, places) for weight in weights.tolist()],
        "textposition": "outside",
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": [for_plotly(f"{name}: {w:.4f}") for name, w in zip(full, weights.tolist(), strict=True)],
        "meta": {"part": "softmax"},
    }
    ticks = {"tickvals": list(range(len(names))), "ticktext": [for_plotly(short(name)) for name in names]}
    layout = {
        "xaxis": {"range": [-0.5, len(names) - 0.5], "showgrid": False, "zeroline": False, **ticks},
        "yaxis": {"range": [0, 1.12], "tickvals": [0, 0.5, 1]},
        "bargap": 0.35,
    }
    return drawn(theme, title, height, [trace], layout)
