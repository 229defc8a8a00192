"""Vectors that are put somewhere else: by a drag, within what its mode allows, or by a link."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from attention_core import HEAD_ANGLES, rotation
from attention_ui.settings import LIMIT, ROLES, Move, Settings, plane_vectors

MODES = ("free", "keep length", "unit circle")


def moves_of(said: Iterable[tuple[int, int, float, float]], n_tokens: int) -> tuple[Move, ...]:
    """Return the moves that a link lists: the role's place in `ROLES`, the word's position, x and y of each.

    Examples
    --------
    >>> moves_of([(0, 5, 0, 3)], 6)
    (Move(role='query', position=5, x=0.0, y=3.0),)
    """
    moves = [Move(ROLES[role], range(n_tokens)[position], float(x), float(y)) for role, position, x, y in said]
    return tuple({(move.role, move.position): move for move in moves}.values())  # one place for each vector


def put(settings: Settings, role: str, position: int, x: float, y: float, mode: str = "free") -> Settings:
    """Return the settings with one vector put where the shown head's plane has (x, y), to two decimals.

    Parameters
    ----------
    settings : Settings
        What is shown.
    role, position : str, int
        Which vector.
    x, y : float
        Where to; not finite leaves all as it was, beyond `LIMIT` is held to it.
    mode : str
        One of `MODES`: whether its length may change, stays, or is 1. Zero vectors are exempt.

    Returns
    -------
    Settings
        A vector that is back where it came from, to two decimals, no longer counts as moved.

    Examples
    --------
    >>> put(Settings(), "query", 5, 0.0, 3.0).moved
    (Move(role='query', position=5, x=0.0, y=3.0),)
    >>> put(Settings(), "key", 4, 0.0, 3.0, "keep length").moved
    (Move(role='key', position=4, x=0.0, y=2.0),)
    """
    if mode not in MODES:
        raise ValueError(f"mode is {mode!r}; choose one of {', '.join(MODES)}")
    if not (np.isfinite(x) and np.isfinite(y)):
        return settings
    old = plane_vectors(settings)[ROLES.index(role)][position]
    tip = np.clip([x, y], -LIMIT, LIMIT).round(2)
    if mode != "free" and old.any():
        if not tip.any():
            return settings  # no direction to point in
        tip *= (1.0 if mode == "unit circle" else np.linalg.norm(old)) / np.linalg.norm(tip)
    kept = [move for move in settings.moved if (move.role, move.position) != (role, position)]
    own = plane_vectors(settings.but(moved=tuple(kept)))[ROLES.index(role)][position]
    if np.abs(tip - own).max() > 0.00501:
        if role == "query":
            tip = tip @ rotation(-HEAD_ANGLES[settings.head])
        tip = np.clip(tip, -LIMIT, LIMIT) + 0.0
        kept.append(Move(role, position, float(tip[0]), float(tip[1])))
    return settings.but(moved=tuple(sorted(kept, key=lambda move: (move.role, move.position))))


def snapped(settings: Settings) -> Settings:
    """Return the settings with every moved vector at two decimals, as a link writes it.

    Examples
    --------
    >>> snapped(Settings(moved=(Move("key", 4, 1.2345, -0.001),))).moved
    (Move(role='key', position=4, x=1.23, y=0.0),)
    """
    moves = [Move(move.role, move.position, round(move.x, 2) + 0.0, round(move.y, 2) + 0.0) for move in settings.moved]
    return settings.but(moved=tuple(moves))


def on_unit_circle(settings: Settings) -> Settings:
    """Return the settings with the focus word's query and every key put to length 1; zero vectors stay.

    Examples
    --------
    >>> [(m.role, m.position, round(m.x, 2), round(m.y, 2)) for m in on_unit_circle(Settings()).moved]
    [('key', 4, 1.0, 0.0), ('key', 5, 0.71, -0.71), ('query', 5, 0.71, 0.71)]
    """
    Q, K, _ = plane_vectors(settings)
    vectors = [("query", settings.focus, Q[settings.focus]), *(("key", j, k) for j, k in enumerate(K))]
    for role, position, tip in vectors:
        if tip.any():
            settings = put(settings, role, position, float(tip[0]), float(tip[1]), "unit circle")
    return settings
