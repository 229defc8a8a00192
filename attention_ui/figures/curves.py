"""Curves over steps or sizes, on a linear or a logarithmic scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attention_ui.escape import for_plotly
from attention_ui.figures.template import PALETTES, drawn


@dataclass(frozen=True, eq=False)
class Curve:
    """One line: its name, its points, the role that gives its colour, and how it is drawn."""

    name: str
    x: np.ndarray
    y: np.ndarray
    role: str = "weight"
    dash: str = "solid"
    faint: bool = False


def curves(
    lines: Sequence[Curve],
    *,
    theme: str,
    title: str,
    axes: tuple[str, str],
    log_x: bool = False,
    log_y: bool = False,
    y_range: tuple[float, float] | None = None,
    markers: bool = False,
    height: int = 320,
) -> go.Figure:
    """Draw named lines in one plot.

    Parameters
    ----------
    lines : sequence of Curve
        In the order in which they are drawn.
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What they show.
    axes : tuple of str
        Titles of the horizontal and the vertical axis.
    log_x, log_y : bool
        Whether an axis is logarithmic.
    y_range : tuple of float, optional
        Lowest and highest value of the vertical axis; what the lines need if None.
    markers : bool
        Whether the points themselves are drawn.
    height : int
        In pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace a line, named in a legend below.

    Examples
    --------
    >>> line = Curve("loss", np.arange(3), np.array([3.0, 1.0, 0.1]))
    >>> curves([line], theme="light", title="Loss", axes=("step", "loss"), log_y=True).layout.yaxis.type
    'log'
    """
    palette = PALETTES[theme]
    traces = [
        {
            "type": "scatter",
            "name": for_plotly(line.name),
            "x": line.x,
            "y": line.y,
            "mode": "lines+markers" if markers else "lines",
            "line": {"color": getattr(palette, line.role), "width": 1.5 if line.faint else 2.5, "dash": line.dash},
            "opacity": 0.35 if line.faint else 1,
            "showlegend": not line.faint,
        }
        for line in lines
    ]
    vertical: dict[str, Any] = {"title": {"text": axes[1]}, "type": "log" if log_y else "linear"}
    if y_range is not None:
        vertical["range"] = np.log10(y_range).tolist() if log_y else list(y_range)
    if log_y:
        vertical |= {"dtick": 1, "exponentformat": "power"}
    layout = {
        "xaxis": {"title": {"text": axes[0]}, "type": "log" if log_x else "linear"},
        "yaxis": vertical,
        "showlegend": True,
        "legend": {"orientation": "h", "y": -0.28, "x": 0},
        "meta": {"width": 380},
        "margin": {"l": 8, "r": 8, "t": 34, "b": 50},
    }
    return drawn(theme, title, height, traces, layout)
