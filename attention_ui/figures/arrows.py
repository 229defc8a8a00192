"""Arrows from the origin of a plane, vectors that coincide drawn once under all their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import dist
from typing import Any, TypeAlias

import numpy as np

from attention_ui.captions import vector
from attention_ui.escape import for_plotly, short
from attention_ui.figures.template import PALETTES, Figure, Palette, drawn

Box: TypeAlias = tuple[tuple[float, float], tuple[float, float]]  # its lower left and its upper right corner

PLANE_PX = 205  # about as wide as a plane is drawn at its narrowest
MAX_LABEL = 16  # characters
CORNERS = ((0.99, 0.01), (0.01, 0.99), (0.01, 0.01))  # of the words for right, up and left, in shares of the plane
NEAR_PX = 8  # tips closer than this share a label
ON_WORD = 30  # a label on another word is as bad as one that stands out of the plane by so many pixels
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
    corners = list(zip(compass, CORNERS, strict=False))
    texts = _texts(groups, reach)
    places = _places(texts, [tip for _, tip, _ in groups], reach, centre, corners)
    traces = [
        _arrow(names, tip, role, palette, text, place, dot=_is_dot(tip, reach))
        for (names, tip, role), text, place in zip(groups, texts, places, strict=True)
    ]
    if hull is not None and len(hull) > 1:
        traces.insert(0, _ground(hull, palette))
    (left, right), (low, high) = ([c - reach, c + reach] for c in centre)
    axis = {"zeroline": True, "nticks": 7}
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


def _texts(groups: Sequence[tuple[list[str], tuple[float, float], str]], reach: float) -> list[str]:
    """What stands at each tip; tips of one role that are too near to tell apart have their names at the first."""
    near = NEAR_PX * 2 * reach / PLANE_PX
    said: list[list[str]] = [[] for _ in groups]
    for names, tip, role in groups:
        first = next(i for i, (_, other, its) in enumerate(groups) if its == role and dist(other, tip) < near)
        said[first] += names
    return [_joined(names) if names else "" for names in said]


def _places(
    texts: Sequence[str],
    tips: Sequence[tuple[float, float]],
    reach: float,
    centre: tuple[float, float],
    corners: Sequence[tuple[str, tuple[float, float]]],
) -> list[str]:
    """Where each label stands: the place round its tip that disturbs other words, shafts and the edge least."""
    if not texts:
        return []
    unit = 2 * reach / PLANE_PX  # a pixel
    choices = [_boxes(text, tip, unit) for text, tip in zip(texts, tips, strict=True)]
    boxes = np.array([list(each.values()) for each in choices])
    low, high = np.add(centre, -reach), np.add(centre, reach)
    outside = np.maximum(low - boxes[..., 0, :], boxes[..., 1, :] - high).max(axis=-1).clip(0)
    points = np.array([np.outer(np.linspace(0, 0.95, 24), tip) for tip in tips]).reshape(-1, 1, 2)
    written = np.array([_corner_box(text, corner, reach, centre) for text, corner in corners]).reshape(-1, 2, 2)
    troubles = _hits(boxes, points.repeat(2, axis=1)) + outside / unit + ON_WORD * _hits(boxes, written)
    chosen: dict[int, int] = {}
    for i in (*range(len(texts)), *range(len(texts))):  # the second time, those that came first give way too
        taken = np.array([boxes[j, place] for j, place in chosen.items() if j != i and texts[j]]).reshape(-1, 2, 2)
        chosen[i] = int((troubles[i] + ON_WORD * _hits(boxes[i], taken)).argmin())
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


def _corner_box(text: str, corner: tuple[float, float], reach: float, centre: tuple[float, float]) -> Box:
    """What a word about a direction takes of the plane; Plotly hangs it from the side that it is nearest to."""
    x, y = (middle + (2 * share - 1) * reach for middle, share in zip(centre, corner, strict=True))
    wide, high = (pixels * 2 * reach / PLANE_PX for pixels in (6 * len(text), 14))
    left, low = (at - size * (share > 0.5) for at, size, share in zip((x, y), (wide, high), corner, strict=True))
    return (left, low), (left + wide, low + high)


def _hits(boxes: np.ndarray, others: np.ndarray) -> np.ndarray:
    """How many of the other boxes (n, 2, 2) each of some boxes (..., 2, 2) lies on, (...)."""
    overlaps = (boxes[..., None, 0, :] <= others[:, 1]) & (others[:, 0] <= boxes[..., None, 1, :])
    return np.asarray(overlaps.all(axis=-1).sum(axis=-1))


def _arrow(
    names: list[str], tip: tuple[float, float], role: str, palette: Palette, text: str, place: str, *, dot: bool
) -> dict[str, Any]:
    """One arrow with its label outside the tip, or a dot for a vector too short to see."""
    colour = palette.query if role == "output" else getattr(palette, role)
    x, y = tip
    label = f"<b>{for_plotly(text)}</b>" if text else ""
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
        "text": [label] if dot else ["", label],
        "textposition": place,
        "textfont": {"color": colour, "size": 13},
        "cliponaxis": False,
        "hoverinfo": "text",
        "hovertext": for_plotly(f"{role} of {', '.join(names)}: {vector(np.array(tip))}"),
    }
