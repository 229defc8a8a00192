"""What the weights of one row do and do not say: other weights with the same output, and what each word contributes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from attention_core import Contributions, EquivalentWeights, contributions, equivalent_weights
from attention_ui.captions import TIE, listed, winners
from attention_ui.escape import labels
from attention_ui.moves import put
from attention_ui.settings import Settings, plane_vectors, shown_head


@lru_cache(maxsize=512)
def ways(settings: Settings) -> EquivalentWeights:
    """Return the ways in which the focus word's weights can move while the shown head's output stays."""
    trace = shown_head(settings)
    return equivalent_weights(trace.weights[settings.focus], trace.V)


@lru_cache(maxsize=512)
def measures(settings: Settings) -> Contributions:
    """Return what each word contributes to the focus word's output in the shown head."""
    return contributions(shown_head(settings), settings.focus)


def moves_top(settings: Settings) -> bool:
    """Whether a word that is heard most can be heard more or less while the output stays.

    Examples
    --------
    >>> moves_top(Settings("cat-sat")), moves_top(Settings("river-bank"))
    (True, False)
    """
    best = winners(shown_head(settings).weights[settings.focus])
    return bool((np.abs(ways(settings).directions[:, best]) > TIE).any())


def freedom(settings: Settings) -> int:
    """Return 0 if no other weights give this output, 1 if some do but the top word stays, 2 if it can move too.

    Examples
    --------
    >>> [freedom(Settings("cat-sat", mask=mask)) for mask in ("none", "causal")], freedom(Settings("river-bank"))
    ([2, 0], 1)
    """
    return 0 if not len(ways(settings).directions) else 1 + moves_top(settings)


def way_names(settings: Settings) -> tuple[str, ...]:
    """Name each way by who gains and who loses on its way up.

    Examples
    --------
    >>> way_names(Settings("cat-sat"))
    ('more down, less the, cat and sat',)
    """
    names = labels(settings.tokens, 16)
    said = []
    for direction in ways(settings).directions:
        more, less = (listed([names[j] for j in np.flatnonzero(sign * direction > TIE).tolist()]) for sign in (1, -1))
        said.append(f"more {more}, less {less}")
    return tuple(said)


def lead(settings: Settings, way: int) -> int:
    """Return the position of the word that gains most."""
    return int(ways(settings).directions[way].argmax())


def other_weights(settings: Settings, way: int, percent: int) -> np.ndarray:
    """Return the weights so many percent of the way to one end; the model's own at 0.

    Examples
    --------
    >>> other_weights(Settings("cat-sat"), 0, 100).round(3)
    array([0.   , 0.713, 0.113, 0.174])
    """
    found = ways(settings)
    end = (found.highest if percent > 0 else found.lowest)[way]
    own = shown_head(settings).weights[settings.focus]
    moved: np.ndarray = own + abs(percent) / 100 * (end - own)
    return moved


def can_be_huge(settings: Settings) -> tuple[int, ...]:
    """Return the positions of words that are heard and whose value is not 0, the least heard first.

    Those with a weight below 0.01 come last: a story of a small weight needs one that can be seen.
    """
    weights, V = shown_head(settings).weights[settings.focus], plane_vectors(settings)[2]
    heard = np.flatnonzero((weights > 0) & V.any(axis=1)).tolist()
    return tuple(sorted(heard, key=lambda j: (weights[j] < 0.01, round(float(weights[j]), 9), -j)))


def with_huge(settings: Settings, word: int, factor: int) -> Settings:
    """Return the settings with one word's value so many times as long, at most as long as values may be."""
    x, y = (plane_vectors(settings)[2][word] * factor).tolist()
    return put(settings, "value", word, x, y)
