"""Curves over steps or sizes, on a linear or a logarithmic scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_ui.escape import for_plotly
from attention_ui.figures.template import MARGIN, PALETTES, Figure, Palette, drawn


@dataclass(frozen=True, eq=False)
class Curve:
    """One line: its name, its points, the role that gives its colour, and how it is drawn."""

    name: str
    x: np.ndarray
    y: np.ndarray
    role: str = "weight"
    dash: str = "solid"
    faint: bool = False
    width: float = 2.5
    steps: bool = False  # as a histogram: y holds the height from one x to the next, and x one more edge


def curves(
    lines: Sequence[Curve],
    *,
    theme: str,
    title: str,
    axes: tuple[str, str],
    log_x: bool = False,
    log_y: bool = False,
    y_range: tuple[float, float] | None = None,
    x_range: tuple[float, float] | None = None,
    x_ticks: tuple[Sequence[float], Sequence[str]] | None = None,
    mark: float | None = None,
    markers: bool = False,
    width: int = 380,
    height: int = 320,
) -> Figure:
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
    x_range : tuple of float, optional
        Lowest and highest value of the horizontal axis.
    x_ticks : tuple, optional
        Where its ticks stand and what they say.
    mark : float, optional
        Where a vertical line marks the present setting.
    markers : bool
        Whether the points themselves are drawn.
    width : int
        The pixels that it takes in a row of pictures.
    height : int
        In pixels.

    Returns
    -------
    Figure
        One trace a line, named in a legend below.

    Examples
    --------
    >>> line = Curve("loss", np.arange(3), np.array([3.0, 1.0, 0.1]))
    >>> figure = curves([line], theme="light", title="Loss", axes=("step", "loss"), log_y=True)
    >>> figure["layout"]["yaxis"]["type"]
    'log'
    """
    palette = PALETTES[theme]
    traces = [_trace(line, palette, markers) for line in lines]
    vertical: dict[str, Any] = {"title": {"text": axes[1]}, "type": "log" if log_y else "linear"}
    if y_range is not None:
        vertical["range"] = np.log10(y_range).tolist() if log_y else list(y_range)
    if log_y:
        vertical |= {"dtick": 1, "exponentformat": "power"}
    across: dict[str, Any] = {"title": {"text": axes[0]}, "type": "log" if log_x else "linear", "range": x_range}
    if x_ticks is not None:
        ticks = {"tickvals": list(x_ticks[0]), "ticktext": [for_plotly(text) for text in x_ticks[1]]}
        across |= {"showgrid": False, "zeroline": False, **ticks}
    line_at = {"type": "line", "x0": mark, "x1": mark, "yref": "paper", "y0": 0, "y1": 1}
    dotted = {"color": palette.quiet, "dash": "dot", "width": 2}
    layout = {
        "xaxis": across,
        "shapes": [] if mark is None else [{**line_at, "line": dotted}],
        "yaxis": vertical,
        "showlegend": True,
        "legend": {"orientation": "h", "y": -0.28, "x": 0},
        "meta": {"width": width},
        "margin": {**MARGIN, "b": 50},
    }
    return drawn(theme, title, height, traces, layout)


def _trace(line: Curve, palette: Palette, markers: bool) -> dict[str, Any]:
    """One line as plain data; steps stand on 0 and are filled."""
    colour = getattr(palette, line.role)
    look = {"color": colour, "width": 1.5 if line.faint else line.width, "dash": line.dash}
    trace = {
        "type": "scatter",
        "name": for_plotly(line.name),
        "x": line.x,
        "y": line.y,
        "mode": "lines+markers" if markers else "lines",
        "line": look,
        "opacity": 0.35 if line.faint else 1,
        "showlegend": not line.faint,
    }
    if not line.steps:
        return trace
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    edges = np.concatenate([line.x[:1], line.x])
    heights = np.concatenate([[0.0], line.y, [0.0]])
    fill = {"fill": "tozeroy", "fillcolor": f"rgba({red},{green},{blue},0.3)"}
    return {**trace, "x": edges, "y": heights, "line": {**look, "shape": "hv"}, **fill}
