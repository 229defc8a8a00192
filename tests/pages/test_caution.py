"""Chapter 10: the sentences at its edges, and what its pictures say of them."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import SENTENCES
from attention_ui import cautions
from attention_ui.moves import put
from attention_ui.pictures import caution
from attention_ui.settings import Settings, shown_head
from attention_ui.show import payload
from tests.cases import go_to, link, markdown, open_app, pictures
from tests.pages.test_pages import healthy

CAT = Settings("cat-sat")


def visit(settings: Settings) -> AppTest:
    app = go_to(open_app(**link(settings)), "caution")
    healthy(app)
    return app


def test_down_goes_from_0_04_to_0_17_and_the_output_stays() -> None:
    table = payload(caution.same_output_weights, (CAT, 0, 100), "light")["table"]
    assert table["rows"][3] == ["down", "0.04", "0.17"]
    outputs = payload(caution.value_hull, (CAT, 0, 100), "light")["table"]["rows"][-2:]
    assert [row[1:] for row in outputs] == [["3.03", "0.40"]] * 2


@pytest.mark.parametrize("sentence", list(SENTENCES))
@pytest.mark.parametrize("percent", [-100, -37, 0, 50, 100])
def test_the_other_weights_are_a_distribution_with_the_same_output(sentence: str, percent: int) -> None:
    settings = Settings(sentence)
    trace, i = shown_head(settings), settings.focus
    for way in range(len(cautions.ways(settings).directions)):
        other = cautions.other_weights(settings, way, percent)
        assert other.min() >= 0
        assert other.sum() == pytest.approx(1)
        assert np.allclose(other @ trace.V, trace.output[i], atol=1e-12)


@pytest.mark.parametrize("words", ["hello", "river bank", "she she"])
def test_few_words_leave_no_room_or_all_of_it_and_the_page_says_which(words: str) -> None:
    app = visit(Settings("own", words))
    sliders = [slider.label for slider in app.slider if slider.label.startswith("How far")]
    assert bool(sliders) == (words == "she she")  # two values that are equal can be traded freely
    assert any("Why nothing moves here" in said for said in markdown(app)) == (words != "she she")


def test_a_one_hot_row_has_nothing_to_trade() -> None:
    settings = put(CAT, "query", CAT.focus, 1000, -1000)
    assert shown_head(settings).weights[CAT.focus].tolist() == [0, 1, 0, 0]
    assert cautions.freedom(settings) == 0
    assert payload(caution.three_measures, (settings,), "light")["table"]["rows"][0][-1] == "0.00"
    assert cautions.can_be_huge(settings) == (1,)


def test_with_all_values_equal_every_direction_is_free() -> None:
    settings = CAT
    for j in range(4):
        settings = put(settings, "value", j, 2, 1)
    assert (len(cautions.ways(settings).directions), cautions.freedom(settings)) == (3, 2)
    for way in range(3):
        payload(caution.value_hull, (settings, way, 100), "dark")  # a hull of one point


def test_a_row_that_loses_its_only_word_becomes_0() -> None:
    settings = Settings("cat-sat", focus=0, mask="causal")
    assert cautions.measures(settings).output_changes[0] == np.linalg.norm(shown_head(settings).output[0])


def test_a_huge_value_keeps_the_weights_and_moves_the_output() -> None:
    app = visit(CAT)
    before = [row for picture in pictures(app) for row in picture["table"]["rows"] if row[0].startswith("output ")]
    next(slider for slider in app.slider if slider.label == "Times as long").set_value(50).run()
    healthy(app)
    after = [row for picture in pictures(app) for row in picture["table"]["rows"] if row[0].startswith("output ")]
    assert before[-1] != after[-1]
    assert before[-2] == after[-2]


def test_the_huge_word_need_not_be_the_one_that_is_missed_most() -> None:
    found = cautions.measures(cautions.with_huge(CAT, 3, 50))
    assert (int(found.term_lengths.argmax()), int(found.output_changes.argmax())) == (3, 1)
