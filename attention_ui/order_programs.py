"""Writes the programs of the chapter on positions: a sentence's attention in any order, with any positions."""

from __future__ import annotations

from attention_core import ALIBI_HEADS, ROPE_ANGLE
from attention_ui.programs import attention_program
from attention_ui.settings import Settings

_SINUSOIDS = """
def sinusoids(n, d):
    angles = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)
    PE = np.empty((n, d))
    PE[:, 0::2], PE[:, 1::2] = np.sin(angles), np.cos(angles)
    return PE
"""
_PROJECT = "    return X @ W_Q, X @ W_K, X @ W_V, 0"
_ROPE_BODY = f"""    turns = np.arange(n) / {round(1 / ROPE_ANGLE)}  # radians, by place
    def turn(v):
        c, s = np.cos(turns), np.sin(turns)
        return np.stack([v[:, 0] * c - v[:, 1] * s, v[:, 0] * s + v[:, 1] * c], axis=1)
    return turn(X @ W_Q), turn(X @ W_K), X @ W_V, 0"""
_ALIBI_BODY = f"""    slope = 2.0 ** (-8 / {ALIBI_HEADS})  # the first of {ALIBI_HEADS} heads
    return X @ W_Q, X @ W_K, X @ W_V, 0 - slope * np.abs(np.arange(n)[:, None] - np.arange(n))"""
_HIDING = "    logits = np.where(may_look"
_BIASED = "    logits = logits + bias\n" + _HIDING


def order_program(settings: Settings, kind: str, strength: float, title: str, report: str) -> str:
    """Write a program that has ``without(X)`` and ``positions(X)``, which return Q, K, V and a bias, and a report.

    Parameters
    ----------
    settings : Settings
        A sentence with an embedding.
    kind : str
        One of `POSITION_KINDS`.
    strength : float
        How much of a position vector is added.
    title : str
        The picture's name.
    report : str
        Lines of Python that print the table; they set ``Q, K, V, bias`` before each call of ``attend``.

    Returns
    -------
    str
        The program's text.
    """
    added = {
        "sinusoidal": f"{_SINUSOIDS}\nstrength = {strength!r}\nPE = sinusoids(n, 4)",
        "learned": f"\nstrength = {strength!r}\n"
        "PE = np.random.default_rng(0).normal(scale=np.sqrt(1 / 2), size=(n, 4))  # as training starts",
    }
    bodies = {"rope": _ROPE_BODY, "alibi": _ALIBI_BODY, "none": _PROJECT}
    body = bodies.get(kind, "    X = X + strength * PE\n" + _PROJECT)
    places = f"{added.get(kind, '')}\ndef without(X):\n{_PROJECT}\n\ndef positions(X):\n{body}\n"
    program = attention_program(settings, title, places.strip("\n") + "\n\n" + report.strip())
    return program.replace(_HIDING, _BIASED).replace("d_k, scaled =", "bias = 0\nd_k, scaled =")
