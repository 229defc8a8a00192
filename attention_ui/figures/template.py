"""The look that every figure shares: one palette a theme, one role a colour, one Plotly template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

# A figure as Plotly writes it in JSON and plotly.js draws it: its traces under "data", and its "layout".
# plotly.graph_objects.Figure(figure) makes an object of it and refuses what Plotly does not know; the tests do so with
# every figure. Here, where a drag makes several figures a second, it would be a quarter of what a picture costs.
Figure = dict[str, Any]

SANS = '"Source Sans", "Source Sans Pro", system-ui, sans-serif'
MARGIN = {"l": 8, "r": 14, "t": 34, "b": 8}


@dataclass(frozen=True)
class Palette:
    """Colours by role; each is readable (4.5:1) on `paper` and on `card`, a picture's ground."""

    paper: str
    card: str
    ink: str
    quiet: str
    hairline: str
    query: str
    key: str
    value: str
    weight: str
    negative: str


PALETTES = {
    "light": Palette(
        paper="#FBFAF7",
        card="#FFFFFF",
        ink="#1F2328",
        quiet="#5A6068",
        hairline="#E4E0D8",
        query="#B04A06",
        key="#1D5FBF",
        value="#0B7A75",
        weight="#2B3A8C",
        negative="#A04000",
    ),
    "dark": Palette(
        paper="#16181D",
        card="#1C1F26",
        ink="#E8E6E1",
        quiet="#A7ADB5",
        hairline="#343942",
        query="#F2964B",
        key="#7FB0FF",
        value="#4FC7BF",
        weight="#A9B4FF",
        negative="#F2964B",
    ),
}


def drawn(theme: str, title: str, height: int, traces: list[dict[str, Any]], layout: dict[str, Any]) -> Figure:
    """Return a figure in the theme's look."""
    look = {"template": _template(theme), "height": height, "title": {"text": title}}
    said = [{name: value for name, value in trace.items() if value is not None} for trace in traces]
    return {"data": said, "layout": {**look, **layout}}


def restyled(figure: Figure, axes: Mapping[str, Any] | None = None, **layout: Any) -> Figure:
    """Return a figure with other layout, and with more said of both its axes.

    Examples
    --------
    >>> figure = restyled(drawn("light", "A", 300, [], {"xaxis": {"range": [0, 1]}}), {"tickangle": 90}, height=200)
    >>> figure["layout"]["height"], figure["layout"]["xaxis"]
    (200, {'range': [0, 1], 'tickangle': 90})
    """
    both = {name: {**figure["layout"].get(name, {}), **(axes or {})} for name in ("xaxis", "yaxis")}
    return {**figure, "layout": {**figure["layout"], **both, **layout}}


@lru_cache
def _template(theme: str) -> dict[str, Any]:
    """Our fonts and hairlines on the card, nothing guessed from labels."""
    palette = PALETTES[theme]
    axis = {
        "autotypenumbers": "strict",
        "gridcolor": palette.hairline,
        "zerolinecolor": palette.hairline,
        "linecolor": palette.hairline,
        "tickcolor": palette.hairline,
        "title": {"font": {"size": 12, "color": palette.quiet}, "standoff": 6},
        "automargin": True,
        "autotickangles": [0, 90],  # a slanted first or last word could leave the picture, and Plotly would hide it
        "fixedrange": True,
    }
    return {
        "layout": {
            "font": {"family": SANS, "size": 13, "color": palette.ink},
            "title": {"font": {"size": 14}, "x": 0.0, "xref": "container", "y": 0.99, "yanchor": "top"},
            "paper_bgcolor": palette.card,
            "plot_bgcolor": "rgba(0,0,0,0)",
            "margin": MARGIN,
            "showlegend": False,
            "hovermode": "closest",
            "dragmode": False,
            "hoverlabel": {"bgcolor": palette.paper, "bordercolor": palette.hairline, "font": {"color": palette.ink}},
            "xaxis": axis,
            "yaxis": axis,
        }
    }
