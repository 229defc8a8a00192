from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attention_core import MAX_TOKENS, SENTENCES, Sentence


def test_ids_in_order() -> None:
    assert list(SENTENCES) == [
        "river-bank",
        "money-bank",
        "apple-pie",
        "apple-phone",
        "keyboard-mouse",
        "cat-sat",
    ]
    assert all(id_ == sentence.id for id_, sentence in SENTENCES.items())


@pytest.mark.parametrize(
    ("id_", "text", "focus", "cue"),
    [
        ("river-bank", "she sat by the river bank", "bank", "river"),
        ("money-bank", "he took money to the bank", "bank", "money"),
        ("apple-pie", "grandma baked an apple pie", "apple", "pie"),
        ("apple-phone", "my apple phone rang loudly", "apple", "phone"),
        ("keyboard-mouse", "the mouse beside my keyboard", "mouse", "keyboard"),
        ("cat-sat", "the cat sat down", "sat", "cat"),
    ],
)
def test_words_focus_and_cue(id_: str, text: str, focus: str, cue: str) -> None:
    sentence = SENTENCES[id_]
    assert sentence.cue is not None
    assert " ".join(sentence.tokens) == text
    assert (sentence.tokens[sentence.focus], sentence.tokens[sentence.cue]) == (focus, cue)
    assert (sentence.qkv is not None) == (id_ == "cat-sat")
    assert len(sentence.tokens) <= MAX_TOKENS


def test_the_worksheet_is_given_by_hand() -> None:
    qkv = SENTENCES["cat-sat"].qkv
    assert qkv is not None
    assert_array_equal(qkv[0], [[0, 1], [1, 1], [2, 0], [1, 0]])
    assert_array_equal(qkv[1], [[0, 1], [2, 0], [1, 1], [0, 2]])
    assert_array_equal(qkv[2], [[1, 0], [4, 0], [0, 2], [1, 1]])
    with pytest.raises(ValueError, match="read-only"):
        qkv[0][0] = 1


def test_a_sentence_is_frozen_and_hashable() -> None:
    sentence = SENTENCES["cat-sat"]
    assert len({sentence, sentence}) == 1
    with pytest.raises(FrozenInstanceError):
        sentence.focus = 0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"focus": 2}, "focus must be 0 to 1 in a sentence of 2 tokens, got 2"),
        ({"focus": -1}, "focus must be 0 to 1"),
        ({"focus": 0, "cue": 5}, "cue must be 0 to 1 in a sentence of 2 tokens, got 5"),
        ({"focus": 0, "qkv": (np.ones((3, 2)),) * 3}, r"\(2, 2\) for 2 tokens, got \(3, 2\)"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Sentence("own", ("two", "words"), **given)
