"""The chapter of positions: the sinusoids, the shuffle under every kind, and what positions cost the cues."""

from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import sinusoidal_positions
from attention_ui.ordering import (
    AS_WRITTEN,
    BITES,
    KINDS,
    ORDERS,
    cues_held,
    moved_words,
    order_for,
    read_in,
    realigned,
    residual,
)
from attention_ui.pictures import order, positions
from attention_ui.position_text import offset_lines, residual_table, vector_table
from attention_ui.settings import FIVE, OWN, Settings
from attention_ui.show import payload
from tests.cases import (
    HOSTILE_SETTINGS,
    SAMPLE,
    checked,
    go_to,
    html,
    link,
    markdown,
    open_app,
    picture,
    pictures,
    printed_table,
    run_program,
    settings_of,
    verdict,
)

EMBEDDED = [settings for settings in (*SAMPLE, *HOSTILE_SETTINGS) if settings.has_embedding]
MIRROR = (2, 1, 0)


def page(**parameters: Any) -> AppTest:
    app = go_to(open_app(**parameters), "positions")
    assert not app.exception, [error.message for error in app.exception]
    return app


# Who bites whom


@pytest.mark.parametrize("kind", KINDS.values())
@pytest.mark.parametrize("strength", [0.0, 0.1, 1.0])
def test_both_orders_print_what_they_show(kind: str, strength: float) -> None:
    checked(order.both_orders, kind, strength)


def test_without_positions_nobody_knows_who_bites() -> None:
    assert moved_words(BITES, "none", 0.1, MIRROR) == 0
    assert moved_words(BITES, "sinusoidal", 0.1, MIRROR) == 3
    assert "every word becomes the same" in payload(order.both_orders, ("none", 0.1), "light")["caption"]
    assert "every word" not in payload(order.both_orders, ("sinusoidal", 0.1), "light")["caption"]


def test_the_guess_is_judged_by_the_numbers() -> None:
    app = page()
    verdicts = []
    for option in range(4):
        app.pills[0].set_value(option).run()
        verdicts.append(verdict(app) == "Yes")
    assert verdicts == [True, False, False, False]


# The sinusoids


@pytest.mark.parametrize(
    ("T", "d", "p"), [(4, 4, 0), (4, 4, 3), (128, 128, 127), (128, 4, 64), (4, 128, 1), (32, 32, 5)]
)
def test_sinusoids_of_every_size_print_what_they_show(T: int, d: int, p: int) -> None:
    data = checked(positions.sinusoids, T, d, p)
    assert len(data["table"]["rows"]) == d
    assert data["figures"][0]["layout"]["shapes"][0]["y0"] == p - 0.5
    dots = checked(positions.dot_products, T, d, p)
    assert [row[0] for row in dots["table"]["rows"]] == [str(k) for k in range(1 - T, T)]
    for row in dots["table"]["rows"]:
        assert len({cell for cell in row[1:] if cell}) == 1  # on k only, whatever p
    for k in (0, 1, T - 1):
        checked(positions.offset, d, k)


def test_the_whole_vector_is_printed() -> None:
    text = vector_table(32, 5)
    for number in sinusoidal_positions(6, 32)[5]:
        assert f"{number:.2f}".replace("-0.00", "0.00").replace("-", "−") in text
    assert text.count("<td>") == 3 * 16
    assert "1e−1" in offset_lines(32, 32, 5, 3) or "<b>0</b>" in offset_lines(32, 32, 5, 3)


def test_sliders_to_both_ends_and_a_position_that_no_longer_exists() -> None:
    app = page()
    app.slider(key="positions_T").set_value(128).run()
    app.slider(key="positions_p").set_value(127).run()
    app.slider(key="positions_k").set_value(127).run()
    app.slider(key="positions_d").set_value(128).run()
    assert not app.exception
    assert "position 127" in picture(app, "Sinusoidal positions")["caption"]
    app.slider(key="positions_T").set_value(4).run()
    app.slider(key="positions_d").set_value(4).run()
    assert not app.exception
    assert "position 3" in picture(app, "Sinusoidal positions")["caption"]
    assert app.slider(key="positions_k").value == 3
    go_to(go_to(app, "home"), "positions")
    assert app.slider(key="positions_T").value == 4


# The shuffle


@pytest.mark.parametrize("settings", EMBEDDED, ids=lambda s: ascii(s.words or s.sentence))
def test_every_shuffle_prints_what_it_shows(settings: Settings) -> None:
    checked(order.by_distance, settings)
    for kind in KINDS.values():
        for name in ORDERS:
            checked(order.two_readings, settings, kind, 0.1, order_for(name, settings.n_tokens))


@pytest.mark.parametrize("sentence", FIVE)
def test_the_residual_of_every_kind(sentence: str) -> None:
    settings = Settings(sentence)
    n = settings.n_tokens
    for kind in KINDS.values():
        assert residual(settings, kind, 0.1, order_for(AS_WRITTEN, n)) == 0
        assert residual(settings.but(mask="causal"), kind, 0.1, order_for("reverse", n)) > 1e-3
        noticed = residual(settings, kind, 0.1, order_for("reverse", n))
        assert noticed < 1e-12 if kind in ("none", "alibi") else noticed > 1e-3  # ALiBi: as far, not which way
    assert residual(settings, "alibi", 0.1, order_for("first word last", n)) > 1e-3


def test_rope_does_not_notice_words_without_query_and_key() -> None:
    assert residual(Settings(), "rope", 0.1, (0, 1, 3, 2, 4, 5)) < 1e-12
    assert residual(Settings(), "sinusoidal", 0.1, (0, 1, 3, 2, 4, 5)) > 1e-3


def test_the_table_of_residuals_names_the_sidebars_mask_too() -> None:
    order_ = order_for("reverse", 6)
    assert residual_table(Settings(), 0.1, order_).count("<th ") == 3 + 5
    assert residual_table(Settings(mask="causal"), 0.1, order_).count("<th ") == 3 + 5
    assert "window mask" in residual_table(Settings(mask="window"), 0.1, order_)


def test_realigned_weights_are_the_same_words_weights() -> None:
    settings = Settings(OWN, "the cat saw the dog", focus=2)
    shuffled = order_for("at random", 5)
    weights = realigned(settings, "none", 0.1, shuffled)
    assert weights == pytest.approx(realigned(settings, "none", 0.1, order_for(AS_WRITTEN, 5)))
    trace = read_in(settings, "none", 0.1, shuffled).heads[0]
    assert weights[shuffled[0]] == trace.weights[shuffled.index(2), 0]


def test_scores_by_distance_are_the_same_on_every_diagonal() -> None:
    for sentence in FIVE:
        figures = payload(order.by_distance, (Settings(sentence),), "light")["table"]["rows"]
        values = np.array([[float(cell.replace("−", "-")) for cell in row[1:]] for row in figures])
        n = len(values)
        for part in (values[:, :n], values[:, n:]):
            for k in range(1 - n, n):
                assert len(set(np.diagonal(part, k).tolist())) == 1


def test_every_kind_order_and_strength_can_be_chosen() -> None:
    app = page()
    seen = set()
    for kind in KINDS:
        app.segmented_control(key="positions_kind").set_value(kind).run()
        assert not app.exception
        seen.add(picture(app, "The same word, other places")["caption"])
        assert len(picture(app, "The same word, other places")["figures"]) == (1 if kind == "none" else 2)
    assert len(seen) == len(KINDS)
    for name in ORDERS:
        app.selectbox(key="positions_order").select(name).run()
        assert not app.exception
    for strength in (0.0, 0.35, 1.0):
        app.slider(key="positions_strength").set_value(strength).run()
        assert not app.exception
        for each in pictures(app):
            assert run_program(each["program"]) == printed_table(each)


# The cues


@pytest.mark.parametrize("kind", KINDS.values())
def test_the_cues_at_the_default_and_at_full_strength(kind: str) -> None:
    for strength in (0.0, 0.1, 0.35, 1.0):
        checked(order.five_cues, kind, strength, ())
    assert len(cues_held(kind, 0.1)) == 5
    checked(order.five_cues, kind, 0.1, (("river", (0.0, 0.5, 0.0, 0.0)),))


def test_at_full_strength_it_loses_in_four_of_five_and_the_page_says_so() -> None:
    assert cues_held("sinusoidal", 1.0) == ("apple-pie",)
    said = "\n".join(markdown(page()))
    assert "the cue loses in **4 of 5** sentences" in said
    app = page()
    app.slider(key="positions_strength").set_value(1.0).run()
    assert picture(app, "The five cues")["caption"] == "With these positions the cue wins in 1 of 5 sentences"


# Sentences


def test_the_worksheets_sentence_has_no_embedding_and_offers_others() -> None:
    app = page(sentence="cat-sat", mask="causal")
    assert any("has no x" in text for text in markdown(app))
    assert "The same word, other places" not in [each["name"] for each in pictures(app)]
    app.segmented_control(key="pick").set_value("river-bank").run()
    assert settings_of(app).sentence == "river-bank"
    assert "The same word, other places" in [each["name"] for each in pictures(app)]


@pytest.mark.parametrize(
    "words", ["hello", "<s>", "<s> $5 *x* %{x}", "<s> $5 *x* %{x} <s> bank river a b c d e", "the the the"]
)
def test_short_long_and_hostile_sentences(words: str) -> None:
    app = page(sentence=OWN, words=words, mask="window", window="12", heads="8", head="8")
    for each in pictures(app):
        assert run_program(each["program"]) == printed_table(each)
    assert not any("<s>" in body for body in html(app))


@pytest.mark.parametrize("settings", HOSTILE_SETTINGS[::2], ids=lambda s: ascii(s.words)[:30])
def test_a_link_to_hostile_words(settings: Settings) -> None:
    assert settings_of(page(**link(settings))) == settings
