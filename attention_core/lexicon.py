"""The words that the hand-built model knows, four features each, and how text becomes tokens."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from attention_core.attention import FloatArray

Features: TypeAlias = tuple[float, float, float, float]

FEATURES: Mapping[str, str] = MappingProxyType(
    {
        "nature": "nature (+1) … food (−1)",
        "made": "made by people: money, machines (+1)",
        "ambiguous": "ambiguous: the word needs a cue from its neighbours",
        "action": "an action (a verb)",
    }
)

# Chosen by hand and small enough for paper: every entry is a whole number or a half.
_KINDS: tuple[tuple[Features, str], ...] = (
    # ambiguous: both senses at once, until a neighbour settles it
    ((1, 1, 1, 0), "bank mouse bat crane seal jaguar"),  # nature or made by people
    ((-1, 1, 1, 0), "apple blackberry chip chips"),  # food or made by people
    # cues: one sense each
    ((1, 0, 0, 0), "river water sea fish bird cat dog tree forest cave flower wild"),
    ((0, 1, 0, 0), "money phone keyboard computer screen car machine coin loan cash office ball steel"),
    ((-1, 0, 0, 0), "pie cake bread soup cheese salt sweet kitchen dinner"),
    # actions, some of which lean towards a sense
    ((0, 0, 0, 1), "sat took saw went ran slept bites"),
    ((-0.5, 0, 0, 1), "baked ate cooked"),
    ((0, 0.5, 0, 1), "rang paid clicked bought built drove"),
    ((0.5, 0, 0, 1), "swam flew grew"),
    # people stand halfway between the two
    ((0.5, 0.5, 0, 0), "man woman"),
    # words that hold sentences together: known, and without any of the four features
    ((0, 0, 0, 0), "she he grandma my by beside the to an loudly"),
    ((0, 0, 0, 0), "a and at down from her his i in is it of on they was we with you your"),
)

LEXICON: Mapping[str, Features] = MappingProxyType(
    {word: features for features, words in _KINDS for word in words.split()}
)

# Han, Hiragana and Katakana are written without spaces: there, each character is a token.
_WRITTEN_WITHOUT_SPACES = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U0001aff0-\U0001b16f\U00020000-\U0003fffd]"
)
_INVISIBLE_BREAKS = str.maketrans({"\u200b": " ", "\ufeff": " "})  # zero-width space, byte-order mark


def tokenize(text: str) -> tuple[str, ...]:
    """Split a text into words: at white space, and between characters where a script uses no spaces.

    Parameters
    ----------
    text : str
        Any text, in any script.

    Returns
    -------
    tuple of str
        Nothing is dropped or changed but the white space: `1e5`, `<s>` and `$5` stay words. Accents stay
        with their letter, and an emoji family stays one token.

    References
    ----------
    Unicode Standard Annex 29, section 3 (what belongs to one character).

    Examples
    --------
    >>> tokenize("she sat by  the river bank")
    ('she', 'sat', 'by', 'the', 'river', 'bank')
    >>> tokenize("我爱 Python")
    ('我', '爱', 'Python')
    """
    tokens: list[str] = []
    for word in text.translate(_INVISIBLE_BREAKS).split():
        token = ""
        for character in word:
            belongs = unicodedata.category(character).startswith("M")  # accents, variation selectors
            alone = _WRITTEN_WITHOUT_SPACES.match(token) or _WRITTEN_WITHOUT_SPACES.match(character)
            if token and alone and not belongs:
                tokens.append(token)
                token = ""
            token += character
        tokens.append(token)
    return tuple(tokens)


def is_known(token: str) -> bool:
    """Tell whether the lexicon has this word, in whatever case and with whatever punctuation around it.

    Parameters
    ----------
    token : str

    Returns
    -------
    bool

    Examples
    --------
    >>> is_known("Bank,"), is_known("zebra")
    (True, False)
    """
    return _entry(token) in LEXICON


def embed(tokens: Sequence[str], features: Mapping[str, Sequence[float]] | None = None) -> FloatArray:
    """Look up each word's four features.

    Parameters
    ----------
    tokens : sequence of str, n of them
        Case and surrounding punctuation do not matter.
    features : mapping of str to four numbers, optional
        Words that were edited: what it says wins over the lexicon.

    Returns
    -------
    ndarray, X, (n, 4)
        One row a token; an unknown word is a row of zeros.

    Raises
    ------
    ValueError
        If `tokens` is one string instead of several, or an edited word has not four finite numbers.

    References
    ----------
    Vaswani et al. 2017, Attention Is All You Need, section 3.4 (where the table is learned, not written).

    Examples
    --------
    >>> embed(["River", "zebra"])
    array([[1., 0., 0., 0.],
           [0., 0., 0., 0.]])
    >>> embed(["zebra"], {"zebra": (1, 0, 0, 0)})
    array([[1., 0., 0., 0.]])
    """
    if isinstance(tokens, str):
        raise ValueError(f"tokens must be several words, got one string {tokens!r}; tokenize it first")
    table: dict[str, Sequence[float]] = dict(LEXICON)
    for word, numbers in (features or {}).items():
        row = np.asarray(numbers)
        if row.shape != (4,) or row.dtype.kind not in "iuf" or not np.isfinite(row).all():
            raise ValueError(f"features of {word!r} must be 4 finite numbers, got {numbers!r}")
        table[_entry(word)] = numbers
    rows = [table.get(_entry(token), (0, 0, 0, 0)) for token in tokens]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 4)


def _entry(token: str) -> str:
    """The word under which a token is looked up: caseless, without the punctuation around it."""
    word = unicodedata.normalize("NFC", token.casefold())
    inner = [i for i, character in enumerate(word) if not unicodedata.category(character).startswith("P")]
    return word[inner[0] : inner[-1] + 1] if inner else word  # punctuation alone is its own entry
