"""Lines over a number: curves, and histograms as steps that may be filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from attention_ui.escape import for_plotly
from attention_ui.figures.template import PALETTES, Palette, drawn


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
    y_range: tuple[float, float] | None = None,
    log: bool = False,
    mark: float | None = None,
    height: int = 280,
) -> go.Figure:
    """Draw lines with their key in the title.

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
    y_range : tuple of float, optional
        The fixed range of the vertical axis.
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
    x_axis: dict[str, Any] = {"title": {"text": axes[1]}, "showgrid": False, "zeroline": False}
    if x_ticks:
        x_axis |= {"tickvals": list(x_ticks[0]), "ticktext": [for_plotly(text) for text in x_ticks[1]]}
    y_axis: dict[str, Any] = {"title": {"text": axes[0]}, "zeroline": False, "range": y_range}
    if log:
        y_axis |= {"type": "log", "dtick": 1}
    look = {"type": "line", "yref": "paper", "y0": 0, "y1": 1}
    shapes = [] if mark is None else [{**look, "x0": mark, "x1": mark, "line": {"color": palette.quiet, "dash": "dot"}}]
    layout = {"xaxis": x_axis, "yaxis": y_axis, "shapes": shapes, "margin": {"l": 8, "r": 12, "t": 56, "b": 8}}
    key = [(line.name, line.role) for line in lines if line.name]
    return drawn(theme, keyed(title, key, palette), height, [_line(line, palette) for line in lines], layout)


def keyed(title: str, key: Sequence[tuple[str, str]], palette: Palette) -> str:
    """Return a title with a second line that says which colour is which."""
    named = "   ".join(f'<span style="color:{getattr(palette, role)}">■</span> {for_plotly(name)}' for name, role in key)
    return f'{for_plotly(title)}<br><span style="font-size:12px">{named}</span>' if key else for_plotly(title)


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
