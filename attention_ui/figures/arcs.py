"""A sentence with one arc from each word to the word that listens, as thick as its weight."""

from __future__ import annotations

import numpy as np

from attention_ui.captions import percent
from attention_ui.escape import for_plotly, labels, short
from attention_ui.figures.template import PALETTES, Figure, drawn

_TURN = np.linspace(0, np.pi, 33)


def arcs(
    tokens: tuple[str, ...],
    focus: int,
    weights: np.ndarray,
    visible: np.ndarray | None = None,
    *,
    theme: str,
    title: str = "",
    height: int = 300,
) -> Figure:
    """Draw whom the focus word listens to.

    Parameters
    ----------
    tokens : tuple of str
        The sentence.
    focus : int
        Position of the word that listens.
    weights : numpy.ndarray
        Its weights, (n_tokens,).
    visible : numpy.ndarray, optional
        True for the words it may look at, (n_tokens,).
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        Shown above, if not empty.
    height : int
        In pixels.

    Returns
    -------
    Figure
        One trace an arc; the words and their weights are the tick text.

    Examples
    --------
    >>> figure = arcs(("river", "bank"), 1, np.array([0.8, 0.2]), theme="light")
    >>> figure["layout"]["xaxis"]["ticktext"][0]
    'river<br>80 %'
    """
    palette = PALETTES[theme]
    seen = np.ones(len(tokens), bool) if visible is None else visible
    names = labels(tokens)
    weights = np.round(weights, 9)  # the same picture for the same weights, whatever the last bits say
    traces = []
    for place in map(int, np.flatnonzero(seen)):
        weight = float(weights[place])
        x, y = _arc(place, focus, len(tokens))
        traces.append(
            {
                "type": "scatter",
                "name": names[place],
                "meta": {"part": "softmax"},
                "x": x,
                "y": y,
                "mode": "lines",
                "line": {"width": 1 + 13 * weight, "color": palette.weight, "shape": "spline"},
                "opacity": 0.35 + 0.65 * weight,
                "hoverinfo": "text",
                "hovertext": for_plotly(f"{names[focus]} → {names[place]}: {weight:.4f}"),
            }
        )
    ticks = []
    for place, token in enumerate(tokens):
        word = for_plotly(short(token))
        word = f'<b><span style="color:{palette.query}">{word}</span></b>' if place == focus else word
        ticks.append(f"{word}<br>{percent(float(weights[place])) if seen[place] else 'masked'}")
    places = {"tickvals": list(range(len(tokens))), "ticktext": ticks, "tickfont": {"size": 15}}
    reach = max(1, focus, len(tokens) - 1 - focus)
    layout = {
        "xaxis": {"range": [-0.6, len(tokens) - 0.4], "showgrid": False, "zeroline": False, **places},
        "yaxis": {"range": [0, _rise(reach) * 1.25], "visible": False},
    }
    return drawn(theme, title, height, traces, layout)


def _rise(distance: int) -> float:
    """How high an arc over `distance` words goes: long arcs rise slower than they stretch."""
    return float(distance**0.6)


def _arc(start: int, end: int, n_tokens: int) -> tuple[np.ndarray, np.ndarray]:
    """The points of half an ellipse between two words, or a small loop over one."""
    if start == end:
        return start + 0.04 * n_tokens * np.sin(2 * _TURN), 0.4 * np.sin(_TURN)
    return (start + end) / 2 - (end - start) / 2 * np.cos(_TURN), _rise(abs(end - start)) * np.sin(_TURN)
