from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from attention_core import FEATURES, LEXICON, SENTENCES, attention, embed, is_known, project, tokenize

TABLE = {  # model.md, word for word
    (1, 1, 1, 0): "bank mouse",
    (-1, 1, 1, 0): "apple",
    (1, 0, 0, 0): "river",
    (0, 1, 0, 0): "money phone keyboard",
    (-1, 0, 0, 0): "pie",
    (0, 0, 0, 1): "sat took",
    (-0.5, 0, 0, 1): "baked",
    (0, 0.5, 0, 1): "rang",
    (0, 0, 0, 0): "she he grandma my by beside the to an loudly",
}


def test_the_words_of_the_model() -> None:
    for features, words in TABLE.items():
        for word in words.split():
            assert LEXICON[word] == features


def test_the_lexicon_fits_on_paper() -> None:
    assert len(FEATURES) == 4
    assert 80 <= len(LEXICON) <= 120
    table = np.array(list(LEXICON.values()))
    assert table.shape == (len(LEXICON), 4)
    assert_array_equal(table * 2, np.round(table * 2))  # whole numbers and halves
    assert np.abs(table).max() == 1
    assert all(word == word.casefold() == word.strip() for word in LEXICON)
    assert {token for sentence in SENTENCES.values() for token in sentence.tokens} <= LEXICON.keys()


def test_no_word_is_written_twice() -> None:
    from attention_core.lexicon import _KINDS

    written = [word for _, words in _KINDS for word in words.split()]
    assert len(written) == len(set(written))


def test_the_lexicon_is_read_only() -> None:
    with pytest.raises(TypeError):
        LEXICON["bank"] = (0, 0, 0, 0)  # type: ignore[index]
    with pytest.raises(TypeError):
        FEATURES["new"] = ""  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "word", "cue"),
    [
        ("A bat flew out of the cave", "bat", "cave"),
        ("The bat and the ball", "bat", "ball"),
        ("A crane stood in the water", "crane", "water"),
        ("They built it with a steel crane.", "crane", "steel"),
        ("the seal ate a fish", "seal", "fish"),
        ("a jaguar slept in the forest", "jaguar", "forest"),
        ("she drove the jaguar to the office", "jaguar", "office"),
        ("The chip in my computer", "chip", "computer"),
        ("fish and chips with salt", "chips", "salt"),
        ("the mouse ran from the cat", "mouse", "cat"),
        ("a sweet blackberry cake", "blackberry", "cake"),
        ("the bank paid a loan in cash", "bank", "loan"),
    ],
)
def test_typed_sentences_do_something_sensible(text: str, word: str, cue: str) -> None:
    tokens = tokenize(text.casefold().replace(".", ""))
    row = attention(*project(embed(tokens))).weights[tokens.index(word)]
    assert row[tokens.index(cue)] == row.max()
    assert row[tokens.index(word)] < 0.2


def test_embed_looks_past_case_and_punctuation() -> None:
    assert_array_equal(
        embed(["BANK", "“River”,", "(money)!", "*pie*"]),
        [LEXICON[w] for w in tokenize("bank river money pie")],
    )
    assert_array_equal(embed(["zebra", "<bank>", "ba-nk", "...", ""]), np.zeros((5, 4)))
    assert embed([]).shape == (0, 4)
    assert embed(["river"]).dtype == np.float64


def test_repeated_words_are_rows_of_their_own() -> None:
    assert embed(tokenize("the cat saw the dog")).shape == (5, 4)


def test_edited_words_win_over_the_lexicon() -> None:
    X = embed(
        ["Bank,", "zebra", "river", "!!!"],
        {"bank": (0, 0, 0, 1), "Zebra": [1, 0.5, 0, 0], "!!!": (0, 1, 0, 0)},
    )
    assert_array_equal(X, [[0, 0, 0, 1], [1, 0.5, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]])
    assert LEXICON["bank"] == (1, 1, 1, 0)


@pytest.mark.parametrize("bad", [(1, 2, 3), (1, 2, 3, np.nan), (1, 2, 3, np.inf), ("a", "b", "c", "d"), 1])
def test_edited_words_have_four_finite_numbers(bad: Any) -> None:
    with pytest.raises(ValueError, match="features of 'zebra' must be 4 finite numbers"):
        embed(["river"], {"zebra": bad})


def test_one_string_is_no_list_of_tokens() -> None:
    with pytest.raises(ValueError, match="tokenize it first"):
        embed("river")


def test_known_words() -> None:
    assert is_known("the")  # all zeros, and known
    assert is_known("Bank!")
    assert not is_known("zebra")
    assert not is_known("")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (" \t\n\u3000\xa0 ", []),
        ("she  sat\tby\nthe\u3000river\xa0bank", ["she", "sat", "by", "the", "river", "bank"]),
        ("1 2 10", ["1", "2", "10"]),
        ("2024 1e5", ["2024", "1e5"]),
        ("<s> a<b>c &amp; $5 *x* a_b ` \\frac", ["<s>", "a<b>c", "&amp;", "$5", "*x*", "a_b", "`", "\\frac"]),
        ("[link](u) <img src=x", ["[link](u)", "<img", "src=x"]),
        ("w" * 60, ["w" * 60]),
        ("我爱北京", ["我", "爱", "北", "京"]),
        ("我爱你。", ["我", "爱", "你", "。"]),
        ("用iPhone15打", ["用", "iPhone15", "打"]),
        ("ひらカタカー々", ["ひ", "ら", "カ", "タ", "カ", "ー", "々"]),
        ("か\u3099く", ["か\u3099", "く"]),  # a combining voiced mark
        ("葛\U000e0100城", ["葛\U000e0100", "城"]),  # a variation selector
        ("\U00020000\U00030000", ["\U00020000", "\U00030000"]),
        ("جلست على ضفة", ["جلست", "على", "ضفة"]),
        ("한국어 문장", ["한국어", "문장"]),
        ("e\u0301te\u0301 n\u0303", ["e\u0301te\u0301", "n\u0303"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("👨‍👩‍👧‍👦 👍🏽 🇫🇷", ["👨‍👩‍👧‍👦", "👍🏽", "🇫🇷"]),
        ("我👨‍👩‍👧爱", ["我", "👨‍👩‍👧", "爱"]),
        ("\ufeffthe\u200bcat", ["the", "cat"]),
    ],
)
def test_tokens(text: str, tokens: Sequence[str]) -> None:
    assert tokenize(text) == tuple(tokens)


@given(st.text())
def test_tokenize_drops_nothing_but_white_space(text: str) -> None:
    tokens = tokenize(text)
    assert all(tokens)
    assert "".join(tokens) == "".join(text.replace("\u200b", " ").replace("\ufeff", " ").split())
    assert embed(tokens).shape == (len(tokens), 4)
