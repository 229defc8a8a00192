"""An induction head set by hand: a layer that notes the previous token, a layer that matches and copies."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attention_core.attention import AttentionTrace, BoolArray, FloatArray, attention
from attention_core.induction.sequences import followers
from attention_core.masks import causal_mask

Token: TypeAlias = str | int

TIE = 1e-9  # logits closer than this are equal


class Slots(NamedTuple):
    """Which columns of the residual stream say what.

    `token` and `position` are there from the start, one-hot; layer 1 writes into `previous`, layer 2 into
    `following`. Of the columns of `token`, `previous` and `following` the last stands for the start token.

    Examples
    --------
    >>> hand_set(["A", "B"]).slots.previous
    slice(6, 9, None)
    """

    token: slice
    position: slice
    previous: slice
    following: slice


@dataclass(frozen=True, eq=False)
class InductionTrace:
    """Every number of the two layers on one sequence of n tokens; all arrays are read-only.

    There are m positions: n, and one more in front where there is a start token. Token i stands at position
    `first` + i.

    Parameters
    ----------
    tokens : tuple of str or int
        As given, without the start token.
    vocabulary : tuple of str or int, V of them
        The distinct tokens in the order in which they first appear.
    ids : ndarray of int, (n,)
        Where in the vocabulary each token is.
    beta : float
        What the scores of both layers are multiplied by.
    first : int
        Position of the first token: 1 behind a start token, otherwise 0.
    remove : int or None
        The layer that was removed, 1 or 2.
    slots : Slots
        The columns of the residual stream.
    residual : ndarray, (3, m, d)
        The residual stream before layer 1, after it, and after layer 2; d = 3 (V + 1) + m.
    layers : tuple of two AttentionTrace
        Q, K, V, scores, logits and weights of each layer. A removed layer may look nowhere: its logits are
        -inf, its weights and its output 0.
    maps : ndarray, (2, m, m)
        The weights of both layers.
    copied : ndarray, (m, V + 1)
        What layer 1 wrote: which token stands before each position. The last column is the start token.
    logits : ndarray, (n, V)
        For each token, how much of each word of the vocabulary layer 2 brought back.
    predicted : ndarray of object, (n,)
        The word of the largest logit, as given; of words that tie within 1e-9, the one seen first. None
        where nothing was brought back.
    predictable : ndarray of bool, (n,)
        Where the token has appeared before, so that there is something to copy.
    accuracy : float or None
        Share of the predictable tokens whose next token is the predicted one. The last token has none and
        does not count. None if nothing counts.
    induction_score : float or None
        Mean weight that layer 2 puts, at predictable tokens, on the places behind their earlier appearances.
        None if no token is predictable.

    References
    ----------
    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits, "Induction heads".

    Examples
    --------
    >>> hand_set(["A", "B", "A"]).maps.shape
    (2, 4, 4)
    """

    tokens: tuple[Token, ...]
    vocabulary: tuple[Token, ...]
    ids: NDArray[np.int_]
    beta: float
    first: int
    remove: int | None
    slots: Slots
    residual: FloatArray
    layers: tuple[AttentionTrace, AttentionTrace]
    maps: FloatArray
    copied: FloatArray
    logits: FloatArray
    predicted: NDArray[np.object_]
    predictable: BoolArray
    accuracy: float | None
    induction_score: float | None


def hand_set(
    tokens: Sequence[Token] | NDArray[np.integer[Any]],
    beta: float = 4.0,
    *,
    start_token: bool = True,
    remove: int | None = None,
) -> InductionTrace:
    """Continue a sequence by what followed the last time, with two attention layers set by hand.

    The residual stream is [token | position | previous | following], one-hot in its first two slots. In layer
    1 the query of position i is e(i), the key of position j is e(j + 1) and the value its token: everyone
    looks one place back and notes the token in `previous`. In layer 2 the query is the token, the key is
    `previous` and the value the token again: everyone looks where its own token stood just before, and notes
    what stands there in `following`, which is the prediction. Both layers are causal.

    Parameters
    ----------
    tokens : sequence of str or of int, n of them
        Words or ids, one or more; any number, though the page shows no more than 24.
    beta : float
        Sharpness: both layers' scores, 1 for a match, are multiplied by it. 0 or more.
    start_token : bool
        Whether a token that means nothing stands in front. Without it the first token has nobody before it
        and notes itself, as if it had followed itself.
    remove : int or None
        The layer to take away, 1 or 2.

    Returns
    -------
    InductionTrace

    Raises
    ------
    ValueError
        If there are no tokens, if they are one string or neither words nor whole numbers, if `beta` is
        negative or not finite, if `start_token` is not True or False, or if there is no such layer.

    References
    ----------
    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits, "Induction heads"; Olsson et al.
    2022, In-context Learning and Induction Heads.

    Examples
    --------
    >>> trace = hand_set(["the", "cat", "sat", "the"])
    >>> trace.predicted[-1]
    'cat'
    >>> trace.maps[1, -1].round(2)  # the last token looks at: start, the, cat, sat, itself
    array([0.02, 0.02, 0.92, 0.02, 0.02])
    """
    tokens = _checked_tokens(tokens)
    if isinstance(beta, bool | np.bool_) or not isinstance(beta, Real) or not isfinite(beta) or beta < 0:
        raise ValueError(f"beta must be one finite number, 0 or more, got {beta!r}")
    if not isinstance(start_token, bool | np.bool_):
        raise ValueError(f"start_token must be True or False, got {start_token!r}")
    if remove is not None and (isinstance(remove, bool) or not isinstance(remove, Integral) or remove not in (1, 2)):
        raise ValueError(f"remove must be None, 1 or 2, got {remove!r}")

    index = {token: at for at, token in enumerate(dict.fromkeys(tokens))}
    ids = np.array([index[token] for token in tokens])
    first, V = int(start_token), len(index)
    m = first + len(ids)
    ends = np.cumsum([V + 1, m, V + 1, V + 1]).tolist()
    token, position, previous, following = (slice(a, b) for a, b in pairwise([0, *ends]))
    x = np.zeros((3, m, ends[-1]))  # before layer 1, after it, after layer 2
    x[:, :, token] = np.eye(V + 1)[np.concatenate([[V] * first, ids]).astype(int)]
    x[:, :, position] = np.eye(m)

    may_look = causal_mask(m)
    one_on = np.eye(m, k=1)  # e(j) one_on = e(j + 1)
    here = x[0, :, position]  # (m, m)
    layer_1 = attention(here, here @ one_on, x[0, :, token], mask=may_look & (remove != 1), scale=beta)
    x[1:, :, previous] = layer_1.output  # (m, V + 1)
    layer_2 = attention(x[1, :, token], x[1, :, previous], x[1, :, token], mask=may_look & (remove != 2), scale=beta)
    x[2, :, following] = layer_2.output  # (m, V + 1)

    logits = x[2, first:, following][:, :V]  # (n, V): the start token never comes next
    near_the_top = logits >= logits.max(axis=1, keepdims=True) - TIE
    best = near_the_top.argmax(axis=1)  # the first of those that tie
    vocabulary = tuple(index)
    predicted = np.array([None] * len(ids), dtype=object)
    predicted[:] = [vocabulary[b] if row.any() else None for b, row in zip(best, logits, strict=True)]

    places = followers(ids)  # (n, n)
    predictable = places.any(axis=1)
    asked = predictable[:-1]  # the last token has no next one
    right = np.array([p == t for p, t in zip(predicted[:-1], tokens[1:], strict=True)], dtype=bool)
    mass = (layer_2.weights[first:, first:] * places).sum(axis=1)  # (n,)

    maps = np.stack([layer_1.weights, layer_2.weights])
    for array in (ids, x, maps, logits, predicted, predictable):
        array.setflags(write=False)
    return InductionTrace(
        tokens=tokens,
        vocabulary=vocabulary,
        ids=ids,
        beta=float(beta),
        first=first,
        remove=None if remove is None else int(remove),
        slots=Slots(token, position, previous, following),
        residual=x,
        layers=(layer_1, layer_2),
        maps=maps,
        copied=layer_1.output,
        logits=logits,
        predicted=predicted,
        predictable=predictable,
        accuracy=float(right[asked].mean()) if asked.any() else None,
        induction_score=float(mass[predictable].mean()) if predictable.any() else None,
    )


def _checked_tokens(tokens: Sequence[Token] | NDArray[np.integer[Any]]) -> tuple[Token, ...]:
    """The tokens as a tuple of plain str or int, or a ValueError that says what is wrong with them."""
    if isinstance(tokens, str):
        raise ValueError(f"tokens must be several words, got one string {tokens!r}; tokenize it first")
    checked: list[Token] = []
    for token in tokens:
        if isinstance(token, str):
            checked.append(str(token))
        elif isinstance(token, Integral) and not isinstance(token, bool):
            checked.append(int(token))
        else:
            raise ValueError(f"each token must be a word or a whole number, got {token!r}")
    if not checked:
        raise ValueError("there must be at least one token")
    return tuple(checked)
