"""A plane of arrows that can be dragged by mouse, touch and keyboard; it streams where they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attention_ui.component import as_line, component

_mount = component("arrow_canvas")


@dataclass(frozen=True)
class CanvasArrow:
    """One arrow: its id, its short label and full name, where its tip is, its role, and whether it moves."""

    id: str
    label: str
    name: str
    x: float
    y: float
    role: str
    movable: bool = True


@dataclass(frozen=True)
class Plane:
    """What a canvas shows.

    Parameters
    ----------
    arrows : sequence of CanvasArrow
        The vectors.
    alt : str
        One sentence that says what the picture says.
    title : str
        What to know of it, shown above.
    mode : str
        What a drag may change, one of `attention_ui.moves.MODES`; vectors of length 0 are exempt.
    result : CanvasArrow, optional
        A dashed arrow that follows from the others.
    hull : sequence of pairs of float
        Corners of a shaded polygon.
    compass : three strings
        What right, up and left mean.
    """

    arrows: Sequence[CanvasArrow]
    alt: str
    title: str
    mode: str = "free"
    result: CanvasArrow | None = None
    hull: Sequence[tuple[float, float]] = ()
    compass: tuple[str, str, str] = ("", "", "")


def arrow_canvas(plane: Plane, *, seq: int, key: str, on_move: Callable[[], None]) -> None:
    """Draw a plane, or update the one with this key in place.

    Parameters
    ----------
    plane : Plane
        What it shows.
    seq : int
        The number of the last move that is part of it: the answer that the canvas waits for.
    key : str
        The canvas's name; its state ``move`` holds ``seq`` and ``moves``, each with ``id``, ``x`` and ``y``.
    on_move : callable
        Called when the state has changed, before the page runs.
    """
    _mount(data=as_line({**vars(plane), "seq": seq}, vars), key=key, on_move_change=on_move)
