"""Arrows from the origin of a plane, vectors that coincide drawn once under all their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from attention_ui.captions import vector
from attention_ui.escape import for_plotly, short
from attention_ui.figures.template import PALETTES, Palette, blank

MAX_LABEL = 20  # characters
TOGETHER = 1e-9  # vectors closer than this are one arrow


@dataclass(frozen=True)
class Arrow:
    """One vector of the plane: whose it is, where it points and what role it plays."""

    name: str
    tip: tuple[float, float]
    role: str  # "query", "key", "value" or "output"


def plane(
    arrows: Sequence[Arrow], *, theme: str, title: str, compass: Sequence[str] = (), height: int = 340
) -> go.Figure:
    """Draw vectors as arrows in a plane with equal axes.

    Parameters
    ----------
    arrows : sequence of Arrow
        The vectors; an output is dashed, a zero vector a dot.
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What the plane shows.
    compass : sequence of str
        What right, up and left mean, in this order, if they mean something.
    height : int
        In pixels.

    Returns
    -------
    plotly.graph_objects.Figure
        One trace an arrow, the role in its `meta`.

    Examples
    --------
    >>> figure = plane([Arrow("a", (1, 0), "key"), Arrow("b", (1, 0), "key")], theme="light", title="keys")
    >>> [trace.name for trace in figure.data]
    ['a · b']
    """
    palette = PALETTES[theme]
    figure = blank(theme, title, height)
    reach = max((abs(c) for arrow in arrows for c in arrow.tip), default=0.0)
    reach = 1.35 * reach if reach > 0 else 1.0
    for names, tip, role in _together(arrows):
        figure.add_trace(_arrow(names, tip, role, palette, dot=max(map(abs, tip)) < 0.02 * reach))
    figure.update_xaxes(range=[-reach, reach], zeroline=True, nticks=7)
    figure.update_yaxes(range=[-reach, reach], zeroline=True, nticks=7, scaleanchor="x")
    for text, x, y in zip(compass, (0.99, 0.01, 0.01), (0.46, 0.99, 0.54), strict=False):
        figure.add_annotation(
            text=text,
            xref="x domain",
            yref="y domain",
            x=x,
            y=y,
            showarrow=False,
            font={"size": 11, "color": palette.quiet},
        )
    return figure


def _together(arrows: Sequence[Arrow]) -> list[tuple[list[str], tuple[float, float], str]]:
    """Gather vectors of one role that coincide."""
    groups: list[tuple[list[str], tuple[float, float], str]] = []
    for arrow in arrows:
        for names, tip, role in groups:
            if role == arrow.role and np.allclose(tip, arrow.tip, rtol=0, atol=TOGETHER):
                names.append(arrow.name)
                break
        else:
            groups.append(([arrow.name], arrow.tip, arrow.role))
    return groups


def _joined(names: Sequence[str]) -> str:
    """The names of one arrow, as many as fit on a label."""
    shown = [short(names[0], MAX_LABEL - 4)]
    for name in names[1:]:
        if len(" · ".join([*shown, name])) > MAX_LABEL - 5:
            break
        shown.append(name)
    hidden = len(names) - len(shown)
    return " · ".join(shown) + (f" · +{hidden}" if hidden else "")


def _beside(x: float, y: float, role: str) -> str:
    """Where a tip's label stands: towards the middle of the plane, so that no edge cuts it, off the shaft."""
    above = y >= 0
    if role == "output" and abs(y) < 0.5 * abs(x):
        above = not above  # away from the label of the value that it follows
    return f"{'top' if above else 'bottom'} {'left' if x > 0 else 'right'}"


def _arrow(names: list[str], tip: tuple[float, float], role: str, palette: Palette, *, dot: bool) -> go.Scatter:
    """One arrow with its label outside the tip, or a dot for a vector too short to see."""
    colour = palette.query if role == "output" else getattr(palette, role)
    x, y = tip
    place = ("top right" if role in ("query", "output") else "bottom left") if dot else _beside(x, y, role)
    text = f"<b>{for_plotly(_joined(names))}</b>"
    return go.Scatter(
        x=[x] if dot else [0, x],
        y=[y] if dot else [0, y],
        mode="markers+text" if dot else "lines+markers+text",
        line={"color": colour, "width": 3, "dash": "dash" if role == "output" else "solid"},
        marker={
            "color": colour,
            "opacity": 1,
            "size": 9 if dot else [0, 14],
            "symbol": "circle" if dot else "arrow",
            "angleref": "up" if dot else "previous",
        },
        text=[text] if dot else ["", text],
        textposition=place,
        textfont={"color": colour, "size": 13},
        cliponaxis=False,
        hoverinfo="text",
        hovertext=for_plotly(f"{role} of {', '.join(names)}: {vector(np.array(tip))}"),
        name=" · ".join(names),
        meta={"part": role},
    )
