"""The two planes of draggable arrows: a query among keys, and values with their blend."""

from __future__ import annotations

from attention_core import convex_hull
from attention_ui import captions
from attention_ui.arrow_canvas import CanvasArrow, Plane
from attention_ui.escape import labels
from attention_ui.pictures.dashboard import COMPASS
from attention_ui.settings import Settings, attend, plane_vectors

MARK = 12  # characters of a word beside its arrow


def query_canvas(settings: Settings, mode: str, title: str) -> Plane:
    """The focus word's query and every key, all of them to be dragged."""
    Q, K, _ = plane_vectors(settings)
    names, marks, i = labels(settings.tokens), labels(settings.tokens, MARK), settings.focus
    keys = [_arrow("key", j, marks[j], f"key of {names[j]}", k) for j, k in enumerate(K.tolist())]
    query = _arrow("query", i, f"{marks[i]} asks", f"query of {names[i]}", Q[i].tolist())
    return Plane([query, *keys], captions.aligned(names, i, Q[i], K), title, mode)


def value_canvas(settings: Settings, title: str) -> Plane:
    """Every value, to be dragged, and the blend inside their hull."""
    _, _, V = plane_vectors(settings)
    names, marks, i = labels(settings.tokens), labels(settings.tokens, MARK), settings.focus
    role = "key" if settings.keys_as_values else "value"
    values = [
        CanvasArrow(f"value-{j}", marks[j], f"{role} of {names[j]}", x, y, role, not settings.keys_as_values)
        for j, (x, y) in enumerate(V.tolist())
    ]
    output = attend(settings).output[i]
    x, y = output.tolist()
    alt = f"{names[i]} becomes {captions.vector(output)}"
    result = CanvasArrow("output", f"new {marks[i]}", f"new {names[i]}", x, y, "output", False)
    hull = [(x, y) for x, y in convex_hull(V).tolist()]
    compass = COMPASS if settings.has_embedding and not settings.keys_as_values else ("", "", "")
    return Plane(values, alt, title, "free", result, hull, compass)


def _arrow(role: str, position: int, label: str, name: str, tip: list[float]) -> CanvasArrow:
    """A movable arrow."""
    return CanvasArrow(f"{role}-{position}", label, name, tip[0], tip[1], role)
