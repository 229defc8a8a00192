"""The one description of what a picture shows: sentence, focus, width, scale, mask and heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt
from typing import TypeAlias

import numpy as np

from attention_core import (
    D_K_CHOICES,
    HEAD_ANGLES,
    HEAD_CHOICES,
    MAX_TOKENS,
    SENTENCES,
    W_K,
    W_Q,
    W_V,
    AttentionTrace,
    MultiHeadTrace,
    attend_in_heads,
    causal_mask,
    embed,
    lift_factor,
    padding_mask,
    permutation_residual,
    project,
    rotation,
    sliding_window_mask,
    tokenize,
)

Rows: TypeAlias = tuple[tuple[float, ...], ...]

OWN = "own"
FIVE = tuple(sentence for sentence, words in SENTENCES.items() if words.qkv is None)
SENTENCE_IDS = (*SENTENCES, OWN)
MASKS = ("none", "causal", "window", "padding")
WINDOWS = range(1, MAX_TOKENS + 1)
PADDINGS = range(MAX_TOKENS)
LONGEST_WORDS = 1000  # characters of one's own sentence: room for twelve words of any kind
EXAMPLE_WORDS = "the mouse ate my apple pie"
LIMIT = 1000.0  # as far as a number that is edited or dragged may go
ROLES = ("query", "key", "value")
OWN_FOCUS = -1  # stands for the sentence's own focus word


@dataclass(frozen=True)
class Move:
    """Where one plain vector of a word, before any head turns it, was put.

    Parameters
    ----------
    role : str
        ``"query"``, ``"key"`` or ``"value"``.
    position : int
        The word, from 0.
    x, y : float
        At most `LIMIT` from 0.

    Raises
    ------
    ValueError
        If the role is none of these, or a number is too large or not one.
    """

    role: str
    position: int
    x: float
    y: float

    def __post_init__(self) -> None:
        _one_of("role", self.role, ROLES)
        if not (abs(self.x) <= LIMIT and abs(self.y) <= LIMIT):
            raise ValueError(f"{self.role} is ({self.x}, {self.y}); numbers go from -{LIMIT} to {LIMIT}")


@dataclass(frozen=True)
class Settings:
    """What the sidebar says, checked; positions and heads count from 0.

    Parameters
    ----------
    sentence : str
        One of `SENTENCE_IDS`.
    words : str
        The text of one's own sentence; only read when `sentence` is ``"own"``. Its first
        `MAX_TOKENS` tokens are used, and an empty text falls back on `EXAMPLE_WORDS`.
    focus : int
        Position of the word that asks, 0 to n_tokens - 1; `OWN_FOCUS` means the sentence's own.
    d_k : int
        Width of queries and keys, one of `D_K_CHOICES`.
    scale : bool
        Whether scores are divided by the square root of d_k.
    mask : str
        One of `MASKS`.
    window : int
        Keys seen by a sliding window, the word itself among them, 1 to `MAX_TOKENS`.
    padding : int
        Keys hidden at the end, 0 to `MAX_TOKENS` - 1; at least one key always stays.
    heads, head : int
        Number of heads, one of `HEAD_CHOICES`, and the one shown, 0 to heads - 1.
    features : tuple of (str, four floats)
        Words whose features were edited; they count before the lexicon.
    matrices : tuple of three matrices as tuples of rows
        Edited W_Q, W_K and W_V, 4 x 2 each; empty for the model's own.
    moved : tuple of Move
        Vectors that were dragged away from what the model gives them.
    keys_as_values : bool
        Whether each word hands over its key instead of its value.

    Raises
    ------
    ValueError
        If a value is outside its choices; the message names them.

    Examples
    --------
    >>> Settings("apple-pie").tokens[Settings("apple-pie").focus]
    'apple'
    >>> Settings("own", words="the cat saw the dog").n_tokens
    5
    """

    sentence: str = "river-bank"
    words: str = ""
    focus: int = OWN_FOCUS
    d_k: int = 2
    scale: bool = True
    mask: str = "none"
    window: int = 3
    padding: int = 1
    heads: int = 1
    head: int = 0
    features: tuple[tuple[str, tuple[float, ...]], ...] = ()
    matrices: tuple[Rows, ...] = ()
    moved: tuple[Move, ...] = ()
    keys_as_values: bool = False

    def __post_init__(self) -> None:
        _one_of("sentence", self.sentence, SENTENCE_IDS)
        if self.focus == OWN_FOCUS:
            object.__setattr__(self, "focus", own_focus(self.sentence, self.words))
        _one_of("focus", self.focus, range(self.n_tokens))
        _one_of("d_k", self.d_k, D_K_CHOICES)
        _one_of("scale", self.scale, (True, False))
        _one_of("mask", self.mask, MASKS)
        _one_of("window", self.window, WINDOWS)
        _one_of("padding", self.padding, PADDINGS)
        _one_of("heads", self.heads, HEAD_CHOICES)
        _one_of("head", self.head, range(self.heads))
        for move in self.moved:
            _one_of("moved position", move.position, range(self.n_tokens))

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words on screen, at most `MAX_TOKENS`."""
        return tokens_of(self.sentence, self.words)

    @property
    def n_tokens(self) -> int:
        """How many words the sentence has."""
        return len(self.tokens)

    @property
    def focus_word(self) -> str:
        """The word that asks."""
        return self.tokens[self.focus]

    @property
    def has_embedding(self) -> bool:
        """Whether the sentence has an x; the worksheet's gives Q, K and V directly."""
        return self.sentence == OWN or SENTENCES[self.sentence].qkv is None

    def but(self, **changes: object) -> Settings:
        """Return these settings with some changed; a new sentence brings its own focus word."""
        if {"sentence", "words"} & changes.keys():
            changes = {"focus": OWN_FOCUS, **changes}
        return replace(self, **changes)  # type: ignore[arg-type]


def tokens_of(sentence: str, words: str = "") -> tuple[str, ...]:
    """Return the tokens of a sentence id, or of one's own `words`, cut at `MAX_TOKENS`.

    Examples
    --------
    >>> tokens_of("cat-sat")
    ('the', 'cat', 'sat', 'down')
    """
    if sentence != OWN:
        return SENTENCES[sentence].tokens
    return (tokenize(words) or tokenize(EXAMPLE_WORDS))[:MAX_TOKENS]


def own_focus(sentence: str, words: str = "") -> int:
    """Return the position a sentence starts with: its focus word, in one's own the neediest word.

    The neediest word is the first that the lexicon calls ambiguous, or else the last one.

    Examples
    --------
    >>> own_focus("river-bank"), own_focus("own", "my phone and a mouse"), own_focus("own", "hello you")
    (5, 4, 1)
    """
    if sentence != OWN:
        return SENTENCES[sentence].focus
    ambiguous = embed(tokens_of(sentence, words))[:, 2] > 0
    return int(ambiguous.argmax()) if ambiguous.any() else len(ambiguous) - 1


@lru_cache(maxsize=512)
def embedding(settings: Settings) -> np.ndarray:
    """Return X, (n_tokens, 4), edited features before the lexicon's."""
    return embed(settings.tokens, dict(settings.features))


def matrices(settings: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return W_Q, W_K and W_V, (4, 2) each."""
    if not settings.matrices:
        return W_Q, W_K, W_V
    edited = [np.array(rows, float) for rows in settings.matrices]
    return edited[0], edited[1], edited[2]


@lru_cache(maxsize=512)
def qkv(settings: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the plain, 2-wide Q, K and V of the sentence, each (n_tokens, 2), moved vectors where they were put."""
    given = SENTENCES[settings.sentence].qkv if not settings.has_embedding else None
    Q, K, V = (x.copy() for x in given or _projected(settings))
    for move in settings.moved:
        {"query": Q, "key": K, "value": V}[move.role][move.position] = move.x, move.y
    return Q, K, K if settings.keys_as_values else V


@lru_cache(maxsize=512)
def visible(settings: Settings) -> np.ndarray | None:
    """Return the mask, (n_tokens, n_tokens) with True = may look, or None for no mask."""
    n = settings.n_tokens
    if settings.mask == "causal":
        return causal_mask(n)
    if settings.mask == "window":
        return sliding_window_mask(n, settings.window)
    if settings.mask == "padding":
        return np.tile(padding_mask(max(1, n - settings.padding), n), (n, 1))
    return None


@lru_cache(maxsize=512)
def attend(settings: Settings) -> MultiHeadTrace:
    """Run every head on the sentence; the trace that all pictures of these settings share."""
    return _heads_of(settings, *qkv(settings))


@lru_cache(maxsize=512)
def plane_vectors(settings: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the 2-wide Q, K and V as the shown head sees them in its plane: queries turned, nothing lifted."""
    Q, K, V = qkv(settings)
    return Q @ rotation(HEAD_ANGLES[settings.head]), K, V


def gain(settings: Settings) -> float:
    """Return what a dot product in the plane is multiplied by before the softmax.

    Examples
    --------
    >>> round(gain(Settings(d_k=2)), 3), round(gain(Settings(d_k=64)), 3), gain(Settings(d_k=2, scale=False))
    (0.707, 0.707, 1.0)
    """
    return lift_factor(settings.d_k) / (sqrt(settings.d_k) if settings.scale else 1.0)


def in_sight(settings: Settings) -> int:
    """Return how many words the focus word may look at."""
    mask = visible(settings)
    return settings.n_tokens if mask is None else int(mask[settings.focus].sum())


def hidden_cue(settings: Settings) -> int | None:
    """Return the position of the cue if the mask hides it from the sentence's own focus word.

    Examples
    --------
    >>> hidden_cue(Settings("apple-pie", mask="causal")), hidden_cue(Settings("river-bank", mask="causal"))
    (4, None)
    """
    sentence, mask = SENTENCES.get(settings.sentence), visible(settings)
    if sentence is None or sentence.cue is None or mask is None or settings.focus != sentence.focus:
        return None
    return None if mask[sentence.focus, sentence.cue] else sentence.cue


def shown_head(settings: Settings) -> AttentionTrace:
    """Return the trace of the head that the sidebar chose."""
    return attend(settings).heads[settings.head]


SHUFFLES = ("reverse", "first word last", "at random")


def order_of(shuffle: str, n: int) -> tuple[int, ...]:
    """Return the order in which a shuffle puts n words.

    Examples
    --------
    >>> order_of("reverse", 3), order_of("first word last", 3), sorted(order_of("at random", 3))
    ((2, 1, 0), (1, 2, 0), [0, 1, 2])
    """
    _one_of("shuffle", shuffle, SHUFFLES)
    if shuffle == "reverse":
        return tuple(reversed(range(n)))
    if shuffle == "first word last":
        return (*range(1, n), 0)
    return tuple(np.random.default_rng(1).permutation(n).tolist())


@lru_cache(maxsize=512)
def shuffled(settings: Settings, order: tuple[int, ...]) -> AttentionTrace:
    """Return the shown head's trace with the words in another order, under the mask of the places."""
    Q, K, V = (x[list(order)] for x in qkv(settings))
    return _heads_of(settings, Q, K, V).heads[settings.head]


@lru_cache(maxsize=512)
def shuffle_residual(settings: Settings, order: tuple[int, ...]) -> float:
    """Return how far the shuffled sentence's outputs are from the shuffled outputs."""
    rows = np.hstack(qkv(settings))  # (n_tokens, 6): a word's q, k and v move together
    return permutation_residual(lambda x: _heads_of(settings, *np.split(x, 3, axis=1)).output, rows, order)


def same_question(settings: Settings) -> Settings:
    """Return the settings with W_Q in W_K's place too: every word offers what it asks for."""
    W_Q, _, W_V = (tuple(tuple(row) for row in W.tolist()) for W in matrices(settings))
    return settings.but(matrices=(W_Q, W_Q, W_V))


def partner(settings: Settings) -> Settings:
    """Return the same settings with the focus word in another sentence, or alone where no other has it.

    Examples
    --------
    >>> partner(Settings("river-bank")).sentence, partner(Settings("keyboard-mouse")).tokens
    ('money-bank', ('mouse',))
    """
    for sentence, other in SENTENCES.items():
        if sentence != settings.sentence and other.qkv is None and settings.focus_word in other.tokens:
            return settings.but(sentence=sentence, focus=other.tokens.index(settings.focus_word))
    return settings.but(sentence=OWN, words=settings.focus_word)


def _projected(settings: Settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Q, K and V from the words' features, by the model's own matrices or edited ones."""
    X = embedding(settings)
    if not settings.matrices:
        return project(X)
    W_Q, W_K, W_V = matrices(settings)
    return X @ W_Q, X @ W_K, X @ W_V


def _heads_of(settings: Settings, Q: np.ndarray, K: np.ndarray, V: np.ndarray) -> MultiHeadTrace:
    """Run the heads that the settings describe on any 2-wide Q, K and V of the sentence's length."""
    return attend_in_heads(Q, K, V, settings.heads, settings.d_k, visible(settings), settings.scale)


def _one_of(name: str, value: object, choices: Sequence[object]) -> None:
    """Refuse a value that is not among the choices, or only equals one (True is not 1)."""
    if not any(value == choice and type(value) is type(choice) for choice in choices):
        span = f"{choices[0]} to {choices[-1]}" if isinstance(choices, range) else ", ".join(map(str, choices))
        raise ValueError(f"{name} is {value!r}; choose one of {span}")
