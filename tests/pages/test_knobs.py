"""The chapter of the three knobs: widths, masks and their leaks, heads."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import MASKINGS, WRONG_MASKINGS
from attention_ui.hiding import MISTAKES, NO_MASK, PRESENT, influences, leak_of, masked
from attention_ui.pictures import heads, masks, scale
from attention_ui.settings import OWN, SENTENCE_IDS, Settings
from attention_ui.show import payload
from attention_ui.widths import GRADIENT, JACOBIAN, LARGEST, WIDTHS, measured, measures
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

SENTENCES_GIVEN = [name for name in SENTENCE_IDS if name != OWN]
TWELVE = Settings(OWN, "<s> $5 *x* %{x} <s> bank river a b c d e", focus=5)


def page(**parameters: Any) -> AppTest:
    app = go_to(open_app(**parameters), "knobs")
    assert not app.exception, [error.message for error in app.exception]
    return app


# Scale


@pytest.mark.parametrize(("d", "scaled"), list(product(WIDTHS, (True, False))))
def test_every_width_prints_what_it_shows(d: int, scaled: bool) -> None:
    checked(scale.one_query, d, scaled)
    for measure in measures(d):
        rows = checked(scale.histogram, d, measure, scaled)["table"]["rows"]
        for column in (1, 2):
            assert sum(float(row[column]) for row in rows) == 2000  # no query falls beside the bins
    for measure in (LARGEST, JACOBIAN, GRADIENT):
        assert np.isfinite(measured(d, measure, scaled)).all()  # 512 unscaled among them


def test_the_curves_hold_the_measured_numbers() -> None:
    rows = {row[0]: [float(cell) for cell in row[1:]] for row in checked(scale.every_width, 64)["table"]["rows"]}
    expected = {
        "2": (2.0, 0.406, 0.328),
        "8": (7.9, 0.647, 0.350),
        "64": (64, 0.875, 0.361),
        "512": (513, 0.957, 0.360),
    }
    for d, (variance, raw, scaled) in expected.items():
        assert rows[d][0] == pytest.approx(variance, rel=0.1)
        assert rows[d][1] == pytest.approx(1, rel=0.1)
        assert rows[d][2:4] == [pytest.approx(raw, abs=0.025), pytest.approx(scaled, abs=0.025)]
    assert rows["512"][4] == 0
    assert rows["512"][5] == pytest.approx(0.37, abs=0.02)


@pytest.mark.parametrize("scaled", [True, False])
def test_another_width_or_seed_is_another_output(scaled: bool) -> None:
    for program in (
        payload(scale.one_query, (64, scaled), "light")["program"],
        payload(scale.histogram, (64, LARGEST, scaled), "light")["program"],
    ):
        others = [program, program.replace("d = 64", "d = 65"), program.replace("default_rng(0)", "default_rng(1)")]
        assert len({str(run_program(text)) for text in others}) == 3


def test_the_gradient_is_counted_at_512_alone_and_a_choice_that_is_gone_gives_the_first() -> None:
    app = page()
    app.select_slider(key="knobs_width").set_value(512).run()
    app.segmented_control(key="knobs_measure").set_value(GRADIENT).run()
    assert picture(app, "Many random queries")["table"]["columns"][0] == GRADIENT
    app.select_slider(key="knobs_width").set_value(2).run()
    assert not app.exception
    assert picture(app, "Many random queries")["table"]["columns"][0] == LARGEST


def test_the_switch_moves_the_fill_to_the_other_scale() -> None:
    names = [
        [trace["name"] for trace in picture(page(scale=on), "Many random queries")["figures"][0]["data"]]
        for on in ("true", "false")
    ]
    assert names == [["÷ √d (now)", "raw scores"], ["raw scores (now)", "÷ √d"]]


# Masks


@pytest.mark.parametrize("settings", [*SAMPLE, *HOSTILE_SETTINGS, TWELVE], ids=lambda s: ascii(s.words or s.sentence))
def test_every_mask_prints_what_it_shows(settings: Settings) -> None:
    hiding = masked(settings)
    checked(masks.mask_steps, hiding)
    checked(masks.museum, hiding.but(scale=True))
    for masking in MISTAKES:
        checked(masks.leak_meter, hiding, masking, settings.n_tokens // 2)
    if settings.n_tokens > 1:
        rows = checked(masks.predictions, settings)["table"]["rows"]
        assert len(rows) == settings.n_tokens - 1


@pytest.mark.parametrize("sentence", SENTENCES_GIVEN)
def test_the_right_mask_leaks_nothing_and_every_wrong_one_does(sentence: str) -> None:
    settings = Settings(sentence)
    assert leak_of(settings, "right") == 0
    for masking in (*WRONG_MASKINGS, NO_MASK):
        assert leak_of(settings, masking) > 0.01, masking
    data = payload(masks.museum, (settings,), "light")
    assert len(data["figures"]) == len(MASKINGS)
    assert data["figures"][0]["layout"]["title"]["text"] == "Right: leak 0"
    assert "leaks exactly 0" in data["caption"]


@pytest.mark.parametrize(
    "changes", [{"mask": "causal"}, {"mask": "window", "window": 1}, {"mask": "window", "window": 12}]
)
def test_under_a_causal_mask_or_a_window_nothing_earlier_moves(changes: dict[str, Any]) -> None:
    for sentence in SENTENCES_GIVEN:
        moved = influences(Settings(sentence, **changes), PRESENT)
        assert np.triu(moved, 1).max() == 0
        assert np.diag(moved).min() > 0


def test_a_padding_mask_hides_no_future() -> None:
    assert np.triu(influences(Settings(mask="padding"), PRESENT), 1).max() > 0.01


def test_each_guess_is_framed_and_hidden() -> None:
    settings = Settings(mask="padding")
    figure = payload(masks.predictions, (settings,), "light")["figures"][0]
    boxes = [(shape["x0"] + 0.5, shape["y0"] + 0.5) for shape in figure["layout"]["shapes"]]
    assert boxes == [(row + 1, row) for row in range(settings.n_tokens - 1)]


@pytest.mark.parametrize("words", ["hello", "<s>", "$5"])
def test_one_word_has_nothing_to_guess_and_nothing_to_leak(words: str) -> None:
    app = page(sentence=OWN, words=words)
    assert "Guesses of one grid" not in [each["name"] for each in pictures(app)]
    assert any("no next word" in text for text in markdown(app))
    assert "nothing can leak" in picture(app, "Leak meter")["caption"]


def test_every_mistake_and_every_word_can_be_chosen() -> None:
    app = page()
    captions = set()
    for masking in MISTAKES:
        app.selectbox(key="knobs_mistake").select(masking).run()
        captions.add(picture(app, "Leak meter")["caption"])
    words = next(box for box in app.selectbox if box.label == "The word that changes")
    for place in range(6):
        words.select_index(place).run()
        assert not app.exception
        captions.add(picture(app, "Leak meter")["caption"])
    assert len(captions) == len(MISTAKES) + 5


def test_with_no_mask_the_page_shows_the_causal_one_and_says_what_is_hidden() -> None:
    app = page(sentence="apple-pie")
    assert "Mask: causal" in [f["layout"]["title"]["text"] for f in picture(app, "Adding the mask")["figures"]]
    assert any("*pie*" in text for text in markdown(app))


# Heads


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_the_heads_stand_at_one_scale_with_their_shapes(count: int) -> None:
    for settings in (Settings(heads=count), Settings("cat-sat", heads=count, mask="causal"), TWELVE.but(heads=count)):
        data = checked(heads.head_maps, settings)
        assert len(data["figures"]) == count
        assert {(f["data"][0]["zmin"], f["data"][0]["zmax"]) for f in data["figures"]} == {(0, 1)}
        titles = [f["layout"]["title"]["text"] for f in checked(heads.head_mix, settings)["figures"]]
        n = settings.n_tokens
        assert titles == [f"concat, {n} × {2 * count}", f"W_O, {2 * count} × 2", f"output, {n} × 2"]


def test_the_knobs_turn_the_sidebar() -> None:
    app = page()
    app.toggle(key="knob_scale").set_value(False).run()
    app.segmented_control(key="knob_mask").set_value("window").run()
    app.segmented_control(key="knob_heads").set_value(4).run()
    assert settings_of(app) == Settings(scale=False, mask="window", heads=4)
    assert len(picture(app, "The heads' maps")["figures"]) == 4
    assert settings_of(go_to(app, "matrix")).heads == 4


def test_what_is_chosen_waits_for_the_reader_to_come_back() -> None:
    app = page()
    app.select_slider(key="knobs_width").set_value(256).run()
    app.selectbox(key="knobs_mistake").select("flipped").run()
    go_to(go_to(app, "home"), "knobs")
    assert picture(app, "Leak meter")["table"]["columns"][2] == "flipped instead"
    assert "width 256" in picture(app, "Softmax of one random query")["figures"][0]["layout"]["title"]["text"]


def test_the_guess_is_judged_by_the_numbers() -> None:
    app = page()
    verdicts = []
    for option in range(4):
        app.pills[0].set_value(option).run()
        verdicts.append(verdict(app) == "Yes")
    assert verdicts == [False, False, False, True]


@pytest.mark.parametrize("settings", [*HOSTILE_SETTINGS[:3], TWELVE], ids=lambda s: ascii(s.words))
def test_hostile_words_go_through_the_page(settings: Settings) -> None:
    app = page(**link(settings))
    assert not html(app) or all("<s>" not in body for body in html(app))
    for each in pictures(app):
        assert run_program(each["program"]) == printed_table(each)
