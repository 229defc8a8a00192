"""The sentences that the chapters look at."""

from dataclasses import dataclass

import numpy as np

from attention_core.attention import FloatArray

MAX_TOKENS = 12  # what the pictures can show side by side


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence, the word to watch in it, and the neighbour that should win that word's attention.

    Parameters
    ----------
    id : str
        Its name in links.
    tokens : tuple of str
        The words; a repeated word is a position of its own.
    focus : int
        Position of the word to watch, from 0.
    cue : int or None
        Position of the neighbour that settles its meaning, if one is meant to.
    qkv : tuple of three ndarrays or None
        Q, K, V, each (n, 2), where they are given directly instead of computed from an embedding.

    Raises
    ------
    ValueError
        If a position lies outside the sentence, or Q, K, V have not one row of two a word.

    Examples
    --------
    >>> sentence = SENTENCES["river-bank"]
    >>> sentence.tokens[sentence.focus], sentence.tokens[sentence.cue]
    ('bank', 'river')
    """

    id: str
    tokens: tuple[str, ...]
    focus: int
    cue: int | None = None
    qkv: tuple[FloatArray, FloatArray, FloatArray] | None = None

    def __post_init__(self) -> None:
        n = len(self.tokens)
        for name, at in (("focus", self.focus), ("cue", self.cue)):
            if at is not None and not 0 <= at < n:
                raise ValueError(f"{name} must be 0 to {n - 1} in a sentence of {n} tokens, got {at}")
        for x in self.qkv or ():
            if x.shape != (n, 2):
                raise ValueError(f"Q, K and V must be ({n}, 2) for {n} tokens, got {x.shape}")
            x.setflags(write=False)


# Q, K, V of "Attention, drawn by hand": sat's query points the way of cat's key.
_BY_HAND = (
    np.array([[0, 1], [1, 1], [2, 0], [1, 0]], dtype=np.float64),
    np.array([[0, 1], [2, 0], [1, 1], [0, 2]], dtype=np.float64),
    np.array([[1, 0], [4, 0], [0, 2], [1, 1]], dtype=np.float64),
)

SENTENCES: dict[str, Sentence] = {
    sentence.id: sentence
    for sentence in (
        Sentence("river-bank", ("she", "sat", "by", "the", "river", "bank"), focus=5, cue=4),
        Sentence("money-bank", ("he", "took", "money", "to", "the", "bank"), focus=5, cue=2),
        Sentence("apple-pie", ("grandma", "baked", "an", "apple", "pie"), focus=3, cue=4),
        Sentence("apple-phone", ("my", "apple", "phone", "rang", "loudly"), focus=1, cue=2),
        Sentence("keyboard-mouse", ("the", "mouse", "beside", "my", "keyboard"), focus=1, cue=4),
        Sentence("cat-sat", ("the", "cat", "sat", "down"), focus=2, cue=1, qkv=_BY_HAND),
    )
}
