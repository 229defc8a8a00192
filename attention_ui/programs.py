"""Writes "the numpy for this picture": a program that needs numpy alone and prints the picture's table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from attention_core import HEAD_ANGLES
from attention_ui.escape import labels
from attention_ui.settings import Settings, embedding, matrices, qkv

_MASKS = {
    "none": "np.ones((n, n), bool)",
    "causal": "np.tril(np.ones((n, n), bool))  # no word sees a later one",
    "window": "np.tril(np.ones((n, n), bool)) & ~np.tril(np.ones((n, n), bool), -{window})  # the last {window}",
    "padding": "np.tile(np.arange(n) < max(1, n - {padding}), (n, 1))  # the last {padding} are padding",
}

_ATTENTION = """
def rotation(degrees):
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, s], [-s, c]])

# Lift the 2-D picture to d_k dimensions without changing it: R @ R.T is sqrt(d_k / 2) times the identity.
angles = 2 * np.pi * np.arange(d_k) / d_k
R = np.sqrt(2 / d_k) * (d_k / 2) ** 0.25 * np.array([np.cos(angles), np.sin(angles)])
R = np.eye(2) if d_k == 2 else R

def attend(degrees):
    scores = (Q @ rotation(degrees) @ R) @ (K @ R).T        # n x n: row = who listens, column = who is heard
    logits = scores / np.sqrt(d_k) if scaled else scores
    logits = np.where(may_look, logits, -np.inf)            # hidden before the softmax, so 0 after it
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    weights = weights / weights.sum(axis=1, keepdims=True)  # each row sums to 1
    return scores, logits, weights, weights @ V

heads = [attend(degrees) for degrees in head_angles]
scores, logits, weights, head_output = heads[shown]
W_O = np.tile(np.eye(2), (len(heads), 1)) / len(heads)      # the mean of the heads
output = np.hstack([head[3] for head in heads]) @ W_O

def row(name, numbers):
    cells = ["masked" if x == -np.inf else f"{x:.2f}".replace("-0.00", "0.00") for x in numbers]
    print(name, *cells, sep="\\t")
"""


def attention_program(settings: Settings, title: str, report: str) -> str:
    """Write a program that computes a sentence's attention and ends with a report.

    Parameters
    ----------
    settings : Settings
        What the sidebar says.
    title : str
        The picture's name, for the first line; a word of the sentence in it could be read as Python's own
        `coding:` comment.
    report : str
        Lines of Python that print the picture's table from ``names``, ``focus``, ``X``, ``Q``, ``K``, ``V``,
        ``scores``, ``logits``, ``weights``, ``head_output``, ``heads``, ``W_O``, ``output`` and ``row``.

    Returns
    -------
    str
        The program's text.

    Examples
    --------
    >>> print(attention_program(Settings(), "Weights", "print(weights.shape)").splitlines()[0])
    # Attention Lab: Weights
    """
    mask = _MASKS[settings.mask].format(window=settings.window, padding=settings.padding)
    return "\n".join(
        [
            f"# Attention Lab: {title}",
            "import numpy as np",
            "",
            _inputs(settings),
            "",
            f"n, focus = {settings.n_tokens}, {settings.focus}",
            f"d_k, scaled = {settings.d_k}, {settings.scale}",
            f"head_angles, shown = {list(HEAD_ANGLES[: settings.heads])}, {settings.head}",
            f"may_look = {mask}",
            _ATTENTION.rstrip(),
            "",
            report.strip(),
            "",
        ]
    )


@lru_cache(maxsize=512)  # the pictures of a page have it in common
def _inputs(settings: Settings) -> str:
    """The words and where their Q, K and V come from."""
    lines = [f"names = {_strings(labels(settings.tokens))}"]
    if not settings.has_embedding or settings.moved or settings.keys_as_values:
        lines += [f"{name} = {_array(matrix)}" for name, matrix in zip("QKV", qkv(settings), strict=True)]
        return "\n".join(lines)
    lines += [
        "# one row a word: nature (+) or food (-), made by people, ambiguous, action",
        f"X = {_array(embedding(settings))}",
        *(f"{name} = {_array(W)}" for name, W in zip(("W_Q", "W_K", "W_V"), matrices(settings), strict=True)),
        "Q, K, V = X @ W_Q, X @ W_K, X @ W_V",
    ]
    return "\n".join(lines)


def _array(values: np.ndarray) -> str:
    """A matrix as Python text, every number in full."""
    rows = ", ".join("[" + ", ".join(repr(value).removesuffix(".0") for value in row) + "]" for row in values.tolist())
    return f"np.array([{rows}], float)"


def _strings(words: Sequence[str]) -> str:
    """Words as Python text; ASCII escapes keep any script and any quote safe."""
    return "[" + ", ".join(ascii(word) for word in words) + "]"
