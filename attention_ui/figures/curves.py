"""Lines over a number: curves, and histograms as steps that may be filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attention_ui.escape import for_plotly
from attention_ui.figures.template import PALETTES, Palette, drawn

KEY_MARGIN = {"l": 8, "r": 12, "t": 58, "b": 8}  # room for the key under the title


@dataclass(frozen=True, eq=False)
class Curve:
    """One line: its name in the key, its numbers, the role that colours it, and how it is drawn."""

    name: str
    x: np.ndarray
    y: np.ndarray
    role: str = "weight"
    dash: str = "solid"
    width: float = 2.5
    steps: bool = False  # y holds the height between one x and the next
    filled: bool = False


def curves(
    lines: Sequence[Curve],
    *,
    theme: str,
    title: str,
    axes: tuple[str, str] = ("", ""),
    x_ticks: tuple[Sequence[float], Sequence[str]] | None = None,
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    log: bool = False,
    mark: float | None = None,
    height: int = 280,
) -> go.Figure:
    """Draw lines with a key under the title.

    Parameters
    ----------
    lines : sequence of Curve
        The last one on top.
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What they are.
    axes : tuple of str
        Titles of the vertical and the horizontal axis.
    x_ticks : tuple, optional
        Where ticks stand and what they say.
    x_range, y_range : tuple of float, optional
        The fixed ranges of the axes.
    log : bool
        Whether the vertical axis is logarithmic; its range is then in powers of ten.
    mark : float, optional
        Where a vertical line marks the present setting.
    height : int
        In pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace a line.

    Examples
    --------
    >>> figure = curves([Curve("a", np.arange(3), np.arange(3))], theme="light", title="A")
    >>> figure.data[0].name
    'a'
    """
    palette = PALETTES[theme]
    x_axis: dict[str, Any] = {"title": {"text": axes[1]}, "showgrid": False, "zeroline": False, "range": x_range}
    if x_ticks:
        x_axis |= {"tickvals": list(x_ticks[0]), "ticktext": [for_plotly(text) for text in x_ticks[1]]}
    y_axis: dict[str, Any] = {"title": {"text": axes[0]}, "zeroline": False, "range": y_range}
    if log:
        y_axis |= {"type": "log", "dtick": 1}
    look = {"type": "line", "yref": "paper", "y0": 0, "y1": 1}
    shapes = [] if mark is None else [{**look, "x0": mark, "x1": mark, "line": {"color": palette.quiet, "dash": "dot"}}]
    layout = {
        "xaxis": x_axis,
        "yaxis": y_axis,
        "shapes": shapes,
        "annotations": [key_line([(line.name, line.role) for line in lines], palette)],
        "margin": KEY_MARGIN,
    }
    return drawn(theme, title, height, [_line(line, palette) for line in lines], layout)


def key_line(key: Sequence[tuple[str, str]], palette: Palette) -> dict[str, Any]:
    """Return an annotation under the title that says which colour is which."""
    parts = [f'<span style="color:{getattr(palette, role)}">■</span> {for_plotly(name)}' for name, role in key]
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return {"text": "   ".join(parts), "showarrow": False, "font": {"size": 12}, "align": "left", **place}


def _line(line: Curve, palette: Palette) -> dict[str, Any]:
    """One line as plain data."""
    colour = getattr(palette, line.role)
    x, y = np.asarray(line.x, float), np.asarray(line.y, float)
    if line.steps:  # down to 0 at both ends; the height of each step lasts to the next x
        x, y = np.concatenate([x[:1], x]), np.concatenate([[0.0], y, [0.0]])
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return {
        "type": "scatter",
        "name": line.name,
        "x": x,
        "y": y,
        "mode": "lines",
        "line": {
            "color": colour,
            "width": line.width,
            "dash": line.dash,
            "shape": "hv" if line.steps else "linear",
        },
        "fill": "tozeroy" if line.filled else "none",
        "fillcolor": f"rgba({red},{green},{blue},0.35)",
        "hovertemplate": "%{y:.4~g}<extra></extra>",
    }
