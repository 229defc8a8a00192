"""Bars: one row of weights from 0 to 1, or other numbers beside one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_ui.captions import number
from attention_ui.escape import for_plotly, labels, short
from attention_ui.figures.template import MARGIN, PALETTES, Figure, Palette, drawn


@dataclass(frozen=True, eq=False)
class Series:
    """One set of bars among others: its name in the key, its numbers and the role that colours it."""

    name: str
    values: np.ndarray
    role: str = "weight"


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
    width: int | None = None,
) -> Figure:
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
    width : int, optional
        The pixels that it takes in a row of pictures, at least.

    Returns
    -------
    Figure
        Integer axis with tick text.

    Examples
    --------
    >>> bars(np.array([0.25, 0.75]), "ab", theme="light", title="w")["data"][0]["text"]
    ['0.25', '0.75']
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
    if width is not None:
        layout["meta"] = {"width": width}
    if line is not None:
        ends = {"x0": -0.5, "x1": len(names) - 0.5, "y0": line, "y1": line}
        layout["shapes"] = [{"type": "line", **ends, "line": {"color": palette.key, "width": 2, "dash": "dot"}}]
    return drawn(theme, title, height, [trace], layout)


def compare(
    series: Sequence[Series],
    names: Sequence[str],
    *,
    theme: str,
    title: str,
    top: float = 1.0,
    cut: int = 12,
    height: int = 280,
) -> Figure:
    """Draw several numbers a word beside one another, from 0 up, with a key under the title.

    Parameters
    ----------
    series : sequence of Series
        Their values are (n,) each.
    names : sequence of str
        Shown literally under the bars.
    theme : str
        ``"light"`` or ``"dark"``.
    title : str
        What they are.
    top : float
        The number at the top of the axis.
    cut : int
        Characters of a name that are shown.
    height : int
        In pixels.

    Returns
    -------
    Figure
        Integer axis with tick text.

    Examples
    --------
    >>> pair = [Series("before", np.array([0.25, 0.75])), Series("after", np.array([0.5, 0.5]), "query")]
    >>> [trace["name"] for trace in compare(pair, "ab", theme="light", title="w")["data"]]
    ['before', 'after']
    """
    palette = PALETTES[theme]
    full = labels(tuple(names))
    written = len(names) * len(series) <= 14
    traces = [
        {
            "type": "bar",
            "name": each.name,
            "x": np.arange(len(names)),
            "y": each.values,
            "marker": {"color": getattr(palette, each.role)},
            "text": [number(value) for value in each.values.tolist()] if written else None,
            "textposition": "outside",
            "textangle": 0,
            "textfont": {"size": 10},
            "cliponaxis": False,
            "hoverinfo": "text",
            "hovertext": [
                for_plotly(f"{name}, {each.name}: {value:.4f}")
                for name, value in zip(full, each.values.tolist(), strict=True)
            ],
        }
        for each in series
    ]
    ticks = {"tickvals": list(range(len(names))), "ticktext": [for_plotly(short(name, cut)) for name in names]}
    layout = {
        "xaxis": {"range": [-0.5, len(names) - 0.5], "showgrid": False, "zeroline": False, **ticks},
        "yaxis": {"range": [0, 1.12 * top], "nticks": 4},
        "bargap": 0.16,
        "annotations": [_key(series, palette)],
        "margin": {**MARGIN, "t": 58},
    }
    return drawn(theme, title, height, traces, layout)


def _key(series: Sequence[Series], palette: Palette) -> dict[str, Any]:
    """A line under the title that says which colour is which: a legend beside bars would take their room."""
    parts = [f'<span style="color:{getattr(palette, s.role)}">■</span> {for_plotly(s.name)}' for s in series]
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom"}
    return {"text": "   ".join(parts), "showarrow": False, "font": {"size": 12}, "align": "left", **place}
