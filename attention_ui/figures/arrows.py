"""Arrows from the origin of a plane, vectors that coincide drawn once under all their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from attention_ui.captions import vector
from attention_ui.escape import for_plotly, short
from attention_ui.figures.template import PALETTES, Figure, Palette, drawn

Box: TypeAlias = tuple[tuple[float, float], tuple[float, float]]  # its lower left and its upper right corner

PLANE_PX = 205  # about as wide as a plane is drawn at its narrowest
MAX_LABEL = 16  # characters
TOGETHER = 1e-9  # vectors closer than this are one arrow


@dataclass(frozen=True)
class Arrow:
    """One vector of the plane: whose it is, where it points and what role it plays."""

    name: str
    tip: tuple[float, float]
    role: str  # "query", "key", "value" or "output"


def plane(
    arrows: Sequence[Arrow],
    *,
    theme: str,
    title: str,
    compass: Sequence[str] = (),
    hull: np.ndarray | None = None,
    height: int = 340,
) -> Figure:
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
    hull : numpy.ndarray, optional
        Corners of the values' convex hull, (n, 2), drawn as a faint ground.
    height : int
        In pixels.

    Returns
    -------
    Figure
        One trace an arrow, the role in its `meta`.

    Examples
    --------
    >>> figure = plane([Arrow("a", (1, 0), "key"), Arrow("b", (1, 0), "key")], theme="light", title="keys")
    >>> [trace["name"] for trace in figure["data"]]
    ['a · b']
    """
    palette = PALETTES[theme]
    # The same picture for the same vectors, whatever the last bits say.
    arrows = [Arrow(a.name, (round(a.tip[0], 9) + 0.0, round(a.tip[1], 9) + 0.0), a.role) for a in arrows]
    centre, reach = _window(arrows, centred=hull is None)
    groups = _together(arrows)
    traces = [
        _arrow(names, tip, role, palette, place, dot=_is_dot(tip, reach))
        for (names, tip, role), place in zip(groups, _places(groups, reach, centre), strict=True)
    ]
    if hull is not None and len(hull) > 1:
        traces.insert(0, _ground(hull, palette))
    (left, right), (low, high) = ([c - reach, c + reach] for c in centre)
    axis = {"zeroline": True, "nticks": 7}
    corners = zip(compass, ((0.99, 0.46), (0.01, 0.99), (0.01, 0.54)), strict=False)
    layout = {
        "xaxis": {**axis, "range": [left, right]},
        "yaxis": {**axis, "range": [low, high], "scaleanchor": "x"},
        "annotations": [_corner(text, x, y, palette) for text, (x, y) in corners],
    }
    return drawn(theme, title, height, traces, layout)


def _window(arrows: Sequence[Arrow], *, centred: bool) -> tuple[tuple[float, float], float]:
    """The middle of the part that is shown, the origin if it is to be, and how far it reaches."""
    x, y = ([0.0, *(arrow.tip[axis] for arrow in arrows)] for axis in (0, 1))
    if centred:
        reach = max(map(abs, (*x, *y)))
        return (0.0, 0.0), 1.35 * reach if reach > 0 else 1.0
    reach = max(max(x) - min(x), max(y) - min(y)) / 2
    return ((max(x) + min(x)) / 2, (max(y) + min(y)) / 2), 1.4 * reach if reach > 0 else 1.0


def _ground(hull: np.ndarray, palette: Palette) -> dict[str, Any]:
    """The polygon that no blend can leave; a line where all values lie on one."""
    x, y = np.vstack([hull, hull[:1]]).T
    red, green, blue = (int(palette.value[i : i + 2], 16) for i in (1, 3, 5))
    return {
        "type": "scatter",
        "name": "hull of the values",
        "x": x,
        "y": y,
        "mode": "lines",
        "line": {"color": palette.value, "width": 1, "dash": "dot"},
        "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},0.12)",
        "hoverinfo": "skip",
    }


def _corner(text: str, x: float, y: float, palette: Palette) -> dict[str, Any]:
    """What a direction of the plane means."""
    look = {"showarrow": False, "font": {"size": 11, "color": palette.quiet}}
    return {"text": text, "xref": "x domain", "yref": "y domain", "x": x, "y": y, **look}


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
    if len(names) > 1 and len(" · ".join(names)) <= MAX_LABEL:
        return " · ".join(names)
    shown = [short(names[0], MAX_LABEL)]
    for name in names[1:]:
        if len(" · ".join([*shown, name, "+1"])) > MAX_LABEL:
            break
        shown.append(name)
    hidden = len(names) - len(shown)
    return " · ".join(shown) + (f" · +{hidden}" if hidden else "")


def _is_dot(tip: tuple[float, float], reach: float) -> bool:
    """Whether a vector is too short to see as an arrow."""
    return max(map(abs, tip)) < 0.02 * reach


def _places(
    groups: Sequence[tuple[list[str], tuple[float, float], str]], reach: float, centre: tuple[float, float]
) -> list[str]:
    """Where each label stands: the place round its tip that disturbs labels, shafts and the edge least."""
    if not groups:
        return []
    unit = 2 * reach / PLANE_PX  # a pixel
    choices = [_boxes(_joined(names), tip, unit) for names, tip, _ in groups]
    boxes = np.array([list(each.values()) for each in choices])
    low, high = np.add(centre, -reach), np.add(centre, reach)
    outside = np.maximum(low - boxes[..., 0, :], boxes[..., 1, :] - high).max(axis=-1).clip(0)
    points = np.array([np.outer(np.linspace(0, 0.95, 24), tip) for _, tip, _ in groups]).reshape(-1, 1, 2)
    troubles = _hits(boxes, points.repeat(2, axis=1)) + outside / unit / 2
    chosen: dict[int, int] = {}
    for i in (*range(len(groups)), *range(len(groups))):  # the second time, those that came first give way too
        taken = np.array([boxes[j, place] for j, place in chosen.items() if j != i]).reshape(-1, 2, 2)
        chosen[i] = int((troubles[i] + 20 * _hits(boxes[i], taken)).argmin())
    return [list(each)[chosen[i]] for i, each in enumerate(choices)]


def _boxes(text: str, tip: tuple[float, float], unit: float) -> dict[str, Box]:
    """The places round a tip, the better ones first, and what a label takes there."""
    x, y = tip
    wide, high, gap = sum(3.2 if char in " ·" else 8.2 for char in text) * unit, 16 * unit, 7 * unit
    towards = ("left", "center", "right") if x > 0 else ("right", "center", "left")
    rows = ("top", "bottom", "middle") if y >= 0 else ("bottom", "top", "middle")
    boxes: dict[str, Box] = {}
    for row in rows:
        for side in towards if row != "middle" else ("left", "right"):
            left = {"left": x - wide - gap, "center": x - wide / 2, "right": x + gap}[side]
            low = {"top": y + gap, "middle": y - high / 2, "bottom": y - high - gap}[row]
            boxes[f"{row} {side}"] = ((left, low), (left + wide, low + high))
    return boxes


def _hits(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """How many of the other boxes (n, 2, 2) each of some boxes (..., 2, 2) lies on, (...)."""
    overlaps = (boxes[..., None, 0, :] <= others[:, 1]) & (others[:, 0] <= boxes[..., None, 1, :])
    return np.asarray(overlaps.all(axis=-1).sum(axis=-1))


def _arrow(
    names: list[str], tip: tuple[float, float], role: str, palette: Palette, place: str, *, dot: bool
) -> dict[str, Any]:
    """One arrow with its label outside the tip, or a dot for a vector too short to see."""
    colour = palette.query if role == "output" else getattr(palette, role)
    x, y = tip
    text = f"<b>{for_plotly(_joined(names))}</b>"
    return {
        "type": "scatter",
        "name": " · ".join(names),
        "meta": {"part": role},
        "x": [x] if dot else [0, x],
        "y": [y] if dot else [0, y],
        "mode": "markers+text" if dot else "lines+markers+text",
        "line": {"color": colour, "width": 3, "dash": "dash" if role == "output" else "solid"},
        "marker": {
            "color": colour,
            "opacity": 1,
            "size": 9 if dot else [0, 14],
            "symbol": "circle" if dot else "arrow",
            "angleref": "up" if dot else "previous",
        },
        "text": [text] if dot else ["", text],
        "textposition": place,
        "textfont": {"color": colour, "size": 13},
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": for_plotly(f"{role} of {', '.join(names)}: {vector(np.array(tip))}"),
    }
