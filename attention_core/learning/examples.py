"""Examples of looking things up: how the tokens may be laid out, and random payloads for them to carry."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from attention_core.attention import FloatArray
from attention_core.learning.circuits import Batch

PAYLOAD = 3  # the last three entries of a token: what it has to tell
IDS = ("A", "B", "C")  # chapter 7: who a candidate is
TYPES = ("A", "B")  # chapter 8: which of the two lookups a pair belongs to
KEYS = ("1", "2", "3")  # chapter 8: what a pair is asked for by, the same three for both types
LOOKUP_FEATURES = ("A", "B", "C", "v1", "v2", "v3")
TWO_LOOKUPS_FEATURES = ("type A", "type B", "key 1", "key 2", "key 3", "v1", "v2", "v3")
TWO_LOOKUPS_QUERY = ("A?", "A key 1", "A key 2", "A key 3", "B?", "B key 1", "B key 2", "B key 3")


@dataclass(frozen=True, eq=False)
class Example:
    """One example with names to show it by; arrays are read-only.

    Parameters
    ----------
    tokens : tuple of str
        A name for each token; the last one is the query.
    features, query_features : tuple of str
        A name for each entry of a token that is looked at, which is a row of W_K and W_V, and for each entry
        of the query, which is a row of W_Q. They differ in chapter 8.
    X : ndarray, (n_tokens, d_model)
        The tokens.
    match : tuple of int
        Positions of the token, or tokens, that the query should look at.
    target : ndarray, (d_out,)
        What the output at the query's position should be.

    Examples
    --------
    >>> example = lookup_example()
    >>> example.tokens, example.match
    (('B', 'C', 'A', 'A?'), (2,))
    >>> example.target
    array([ 1.5, -0.5,  1. ])
    """

    tokens: tuple[str, ...]
    features: tuple[str, ...]
    query_features: tuple[str, ...]
    X: FloatArray
    match: tuple[int, ...]
    target: FloatArray


@dataclass(frozen=True, eq=False)
class Layouts:
    """All ways to lay out an example, equally likely; payloads are left 0.

    `tokens` (L, n_tokens, d_model) with the query last; `match` (L, n_matches), the tokens that it should
    find; `wanted` "concat" (their payloads side by side) or "sum".
    """

    tokens: FloatArray
    match: np.ndarray
    wanted: str

    def draw(
        self, rng: np.random.Generator, shape: tuple[int, ...], attend_self: bool = False
    ) -> tuple[Batch, np.ndarray]:
        """Draw examples: a batch of this shape, and which layout each of them has."""
        which = rng.integers(len(self.tokens), size=shape)
        payloads = rng.standard_normal((*shape, self.tokens.shape[1] - 1, PAYLOAD))
        tokens = self.tokens[which]  # (*shape, n_tokens, d_model)
        tokens[..., :-1, -PAYLOAD:] = payloads
        keys = tokens if attend_self else tokens[..., :-1, :]  # what may not be looked at need not be a key
        return Batch(keys, tokens[..., -1, :], self.target(payloads, self.match[which])), which

    def target(self, payloads: FloatArray, match: np.ndarray) -> FloatArray:
        """What should be told, (..., d_out), of payloads (..., n, 3) with these matches (..., n_matches)."""
        found = [_pick(payloads, match[..., m]) for m in range(match.shape[-1])]  # each (..., 3)
        return np.concatenate(found, axis=-1) if self.wanted == "concat" else np.sum(found, axis=0)


def lookup_layouts() -> Layouts:
    """Three candidates [id | payload] in any order, and a query [id | 0 0 0] for one of them; 18 layouts."""
    one_hot = np.eye(len(IDS))
    tokens, match = [], []
    for ids, asked in product(permutations(range(len(IDS))), range(len(IDS))):
        tokens.append(np.pad(one_hot[[*ids, asked]], [(0, 0), (0, PAYLOAD)]))
        match.append([ids.index(asked)])
    return Layouts(np.array(tokens), np.array(match), "concat")


def two_lookups_layouts(wanted: str, collide: bool) -> Layouts:
    """Two pairs [type | key | payload] of each type, their keys distinct, and a query [1 | key | 1 | key].

    It asks for one pair of each type. Keys collide if the other pair of one type has the key that is asked of
    the other type. 864 layouts in all, 432 of them without a collision.
    """
    one_type, one_key = np.eye(len(TYPES)), np.eye(len(KEYS))
    slots = sorted(set(permutations((0, 0, 1, 1))))  # which type stands where
    two_keys = list(permutations(range(len(KEYS)), 2))
    tokens, match = [], []
    for types, keys_A, keys_B, asked_A, asked_B in product(slots, two_keys, two_keys, (0, 1), (0, 1)):
        left_A, left_B = keys_A[1 - asked_A], keys_B[1 - asked_B]
        if not collide and (left_A == keys_B[asked_B] or left_B == keys_A[asked_A]):
            continue
        keys = np.empty(4, dtype=int)
        slots_A, slots_B = np.flatnonzero(np.equal(types, 0)), np.flatnonzero(np.equal(types, 1))
        keys[slots_A], keys[slots_B] = keys_A, keys_B
        pairs = np.hstack([one_type[list(types)], one_key[keys], np.zeros((4, PAYLOAD))])
        query = np.hstack([[1], one_key[keys_A[asked_A]], [1], one_key[keys_B[asked_B]]])
        tokens.append(np.vstack([pairs, query]))
        match.append([slots_A[asked_A], slots_B[asked_B]])
    return Layouts(np.array(tokens), np.array(match), wanted)


def lookup_example() -> Example:
    """The example of which chapter 7 draws the attention."""
    payloads = np.array([[-1, 0.5, 0], [0.5, 1, -1.5], [1.5, -0.5, 1]])
    ids = [1, 2, 0]
    X = np.hstack([np.eye(3)[[*ids, 0]], np.vstack([payloads, np.zeros(3)])])
    return _example([*(IDS[i] for i in ids), "A?"], LOOKUP_FEATURES, LOOKUP_FEATURES, X, (2,), payloads[2])


def two_lookups_example(wanted: str, collide: bool) -> Example:
    """The example of which chapter 8 draws the attention; where keys may collide, its B2 does with A2."""
    payloads = np.array([[0.5, 1, -0.5], [-1, 0.5, 1.5], [1.5, -1, 0.5], [-0.5, 0, -1]])
    types, keys = [0, 1, 0, 1], [0, 1 if collide else 0, 1, 2]
    pairs = np.hstack([np.eye(2)[types], np.eye(3)[keys], payloads])
    query = np.hstack([[1], np.eye(3)[1], [1], np.eye(3)[2]])
    names = [TYPES[t] + KEYS[k] for t, k in zip(types, keys, strict=True)]
    match = np.array([2, 3])
    target = Layouts(np.empty(0), match, wanted).target(payloads, match)
    X = np.vstack([pairs, query])
    return _example([*names, "A2 B3?"], TWO_LOOKUPS_FEATURES, TWO_LOOKUPS_QUERY, X, (2, 3), target)


def _example(
    tokens: Sequence[str],
    features: tuple[str, ...],
    query_features: tuple[str, ...],
    X: FloatArray,
    match: tuple[int, ...],
    target: FloatArray,
) -> Example:
    """An example with read-only arrays."""
    target = target.copy()
    X.setflags(write=False)
    target.setflags(write=False)
    return Example(tuple(tokens), features, query_features, X, match, target)


def _pick(payloads: FloatArray, at: np.ndarray) -> FloatArray:
    """The payload at one position of each example: (..., n, 3) and (...) give (..., 3)."""
    flat = payloads.reshape(-1, PAYLOAD)
    first = np.arange(0, len(flat), payloads.shape[-2]).reshape(at.shape)
    picked: FloatArray = flat[first + at]
    return picked
