from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from attention_core import D_K_CHOICES, HEAD_CHOICES, MAX_TOKENS, SENTENCES, tokenize
from attention_ui.settings import (
    EXAMPLE_WORDS,
    MASKS,
    OWN,
    SENTENCE_IDS,
    SHUFFLES,
    Settings,
    attend,
    order_of,
    own_focus,
    partner,
    plane_vectors,
    qkv,
    shown_head,
    shuffle_residual,
    shuffled,
    tokens_of,
    visible,
)
from tests.cases import HOSTILE_SETTINGS, SAMPLE


def test_the_defaults_are_the_first_sentence_of_the_model() -> None:
    settings = Settings()
    assert (settings.sentence, settings.focus_word, settings.mask) == ("river-bank", "bank", "none")
    assert (settings.d_k, settings.scale, settings.heads, settings.head) == (2, True, 1, 0)
    assert shown_head(settings).weights[5, 4] == pytest.approx(0.772, abs=5e-4)
    assert attend(settings).output[5] == pytest.approx([3.32, 0.23], abs=5e-3)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"sentence": "nope"}, "sentence is 'nope'; choose one of river-bank, .*, own"),
        ({"focus": 6}, "focus is 6; choose one of 0 to 5"),
        ({"focus": -2}, "focus is -2; choose one of 0 to 5"),
        ({"d_k": 7}, "d_k is 7; choose one of 2, 4, 8, 16, 32, 64"),
        ({"d_k": 2.0}, r"d_k is 2\.0"),
        ({"scale": 1}, "scale is 1; choose one of True, False"),
        ({"mask": "maybe"}, "mask is 'maybe'; choose one of none, causal, window, padding"),
        ({"window": 0}, "window is 0; choose one of 1 to 12"),
        ({"window": 2.5}, r"window is 2\.5"),
        ({"padding": 12}, "padding is 12; choose one of 0 to 11"),
        ({"heads": 3}, "heads is 3; choose one of 1, 2, 4, 8"),
        ({"heads": True}, "heads is True"),
        ({"head": 1}, "head is 1; choose one of 0 to 0"),
        ({"heads": 8, "head": 8}, "head is 8; choose one of 0 to 7"),
    ],
)
def test_what_is_not_on_offer_is_refused_with_the_choices(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Settings(**given)


def test_settings_are_frozen_and_equal_ones_share_a_key() -> None:
    assert Settings("river-bank") == Settings("river-bank", focus=5)
    assert len({Settings(), Settings(focus=5), Settings(focus=4)}) == 2
    with pytest.raises(FrozenInstanceError):
        Settings().focus = 1  # type: ignore[misc]


@pytest.mark.parametrize("sentence", SENTENCE_IDS[:-1])
def test_a_new_sentence_brings_its_own_focus_word(sentence: str) -> None:
    moved = Settings("apple-phone", focus=0).but(sentence=sentence)
    assert moved.focus == SENTENCES[sentence].focus
    assert Settings(focus=0).but(sentence=sentence, focus=1).focus == 1
    assert Settings(focus=0).but(mask="causal").focus == 0


@pytest.mark.parametrize(
    ("words", "tokens"),
    [
        ("hello", ("hello",)),
        (" \t the   cat\nsaw\tthe\r\ndog ", ("the", "cat", "saw", "the", "dog")),
        ("a b c d e f g h i j k l", tuple("abcdefghijkl")),
        ("a b c d e f g h i j k l m", tuple("abcdefghijkl")),
        ("", tokenize(EXAMPLE_WORDS)),
        (" \t\n", tokenize(EXAMPLE_WORDS)),
        ("我爱北京", ("我", "爱", "北", "京")),
    ],
)
def test_ones_own_sentence(words: str, tokens: tuple[str, ...]) -> None:
    settings = Settings(OWN, words)
    assert settings.tokens == tokens_of(OWN, words) == tokens
    weights = shown_head(settings).weights
    assert weights.shape == (len(tokens), len(tokens))
    assert_allclose(weights.sum(axis=1), 1)


def test_a_word_alone_listens_to_itself() -> None:
    assert_array_equal(shown_head(Settings(OWN, "hello")).weights, [[1]])


def test_the_neediest_word_is_the_focus_of_ones_own_sentence() -> None:
    assert own_focus(OWN, "the mouse ate my apple pie") == 1
    assert own_focus(OWN, "nobody here needs help") == 3
    assert own_focus(OWN, "a b c d e f g h i j k l bank") == MAX_TOKENS - 1  # the bank is cut off


@pytest.mark.parametrize("n", [1, 2, 5, 12])
@pytest.mark.parametrize("padding", [0, 1, 4, 11])
def test_some_word_always_stays_visible(n: int, padding: int) -> None:
    mask = visible(Settings(OWN, " ".join("abcdefghijkl"[:n]), mask="padding", padding=padding))
    assert mask is not None
    assert_array_equal(mask, np.broadcast_to(np.arange(n) < max(1, n - padding), (n, n)))


def test_masks() -> None:
    assert visible(Settings()) is None
    causal, window = visible(Settings(mask="causal")), visible(Settings(mask="window", window=2))
    assert_array_equal(causal, np.tril(np.ones((6, 6), bool)))
    assert_array_equal(window, np.tril(np.ones((6, 6), bool)) & np.triu(np.ones((6, 6), bool), -1))
    for settings in SAMPLE:
        mask = visible(settings)
        weights = shown_head(settings).weights
        assert_allclose(weights.sum(axis=1), 1)
        if mask is not None:
            assert_array_equal(weights[~mask], 0)


def test_the_cue_comes_after_the_word_under_a_causal_mask() -> None:
    for sentence in ("apple-pie", "apple-phone", "keyboard-mouse"):
        settings = Settings(sentence, mask="causal")
        cue = SENTENCES[sentence].cue
        assert cue is not None
        assert shown_head(settings).weights[settings.focus, cue] == 0


@pytest.mark.parametrize("settings", SAMPLE)
def test_the_plane_is_the_true_picture_at_any_width(settings: Settings) -> None:
    Q, K, V = plane_vectors(settings)
    stretch = np.sqrt(settings.d_k / 2)
    assert_allclose(shown_head(settings).scores, stretch * Q @ K.T, atol=1e-12)
    assert_array_equal(V, qkv(settings)[2])
    assert len(attend(settings).heads) == settings.heads
    assert_allclose(attend(settings).output, np.mean([head.output for head in attend(settings).heads], axis=0))


@given(st.sampled_from(SAMPLE), st.sampled_from(SHUFFLES))
def test_a_shuffle_moves_the_words_and_nothing_else(settings: Settings, shuffle: str) -> None:
    settings = settings.but(mask="none")
    order = order_of(shuffle, settings.n_tokens)
    assert sorted(order) == list(range(settings.n_tokens))
    straight = shown_head(settings).weights
    assert_allclose(shuffled(settings, order).weights, straight[np.ix_(order, order)], atol=1e-12)
    assert shuffle_residual(settings, order) < 1e-12


def test_a_causal_mask_is_tied_to_places() -> None:
    assert shuffle_residual(Settings(mask="causal"), order_of("reverse", 6)) > 1


def test_an_unknown_shuffle_is_refused() -> None:
    with pytest.raises(ValueError, match="shuffle is 'sort'; choose one of reverse, first word last, at random"):
        order_of("sort", 3)


@pytest.mark.parametrize("settings", [*SAMPLE, *HOSTILE_SETTINGS])
def test_the_partner_has_the_same_word_elsewhere_or_alone(settings: Settings) -> None:
    other = partner(settings)
    assert other.focus_word == settings.focus_word
    assert other.sentence != settings.sentence or other.sentence == OWN
    assert (other.d_k, other.scale, other.mask) == (settings.d_k, settings.scale, settings.mask)
    if other.sentence == OWN:
        assert other.tokens == (settings.focus_word,)
    assert np.isfinite(shown_head(other).weights).all()


def test_the_two_banks_are_partners() -> None:
    assert partner(Settings("river-bank")).sentence == "money-bank"
    assert partner(Settings("apple-pie")).sentence == "apple-phone"
    assert partner(Settings(OWN, "my bank")).sentence == "river-bank"


def test_the_choices_are_those_of_the_design() -> None:
    assert (*SENTENCES, "own") == SENTENCE_IDS
    assert MASKS == ("none", "causal", "window", "padding")
    assert (D_K_CHOICES, HEAD_CHOICES) == ((2, 4, 8, 16, 32, 64), (1, 2, 4, 8))
