"""Chapter 12: stacks of any height, a sentence that asks another, words one by one, two circuits."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import HEAD_CHOICES, MAX_BLOCKS, NORMS, W_K, W_Q, embed
from attention_ui import stacks
from attention_ui.pictures import transformer
from attention_ui.settings import FIVE, Settings, attend, shown_head
from attention_ui.show import payload
from tests.cases import SAMPLE, go_to, link, markdown, open_app, pictures, settings_of
from tests.pages.test_pages import healthy


def visit(settings: Settings) -> AppTest:
    app = go_to(open_app(**link(settings)), "transformer")
    healthy(app)
    return app


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("sentence", FIVE)
def test_a_stack_of_8_stays_finite(sentence: str, norm: str) -> None:
    trace = stacks.stack(Settings(sentence), MAX_BLOCKS, 99, norm)
    assert np.isfinite(trace.stream).all()
    if norm == "post":
        assert trace.lengths[-1] == pytest.approx(2, abs=1e-3)  # four entries with mean square 1
    else:
        assert np.allclose(trace.stream[1:], trace.stream[:-1] + trace.added)


def test_the_switch_and_the_sliders_move_the_stream_and_its_text() -> None:
    app = visit(Settings())
    before = pictures(app)[0]["csv"]
    app.segmented_control(key="transformer_norm").set_value("post").run()
    healthy(app)
    after = pictures(app)[0]
    assert before != after["csv"]
    assert after["table"]["rows"][-1][-2] == "2.00"
    app.slider(key="transformer_blocks").set_value(8).run()
    healthy(app)
    assert len(pictures(app)[0]["table"]["rows"]) == 17
    app.slider(key="transformer_seed").set_value(7).run()
    assert "of seed 7" in "\n".join(markdown(app))


def test_the_worksheets_sentence_has_no_stream_and_says_so() -> None:
    app = visit(Settings("cat-sat"))
    assert [picture["name"] for picture in pictures(app)] == ["Cross-attention", "Word by word", "Two circuits"]
    assert any("no row of numbers x" in said for said in markdown(app))
    app.segmented_control(key="pick").set_value("river-bank").run()
    healthy(app)
    assert settings_of(app).sentence == "river-bank"
    assert pictures(app)[0]["name"] == "The residual stream"


@pytest.mark.parametrize("words", ["hello", "river", "a b c d e f g h i j k l"])
def test_a_sentence_of_any_length_asks_another(words: str) -> None:
    settings = Settings("own", words, heads=4, head=2, d_k=8)
    trace = stacks.cross(settings, settings.but(sentence="money-bank"))
    assert trace.weights.shape == (settings.n_tokens, 6)
    assert trace.weights.sum(axis=1) == pytest.approx(1)
    assert len(visit(settings).get("bidi_component")) == 4


def test_crossing_to_itself_is_self_attention() -> None:
    settings = Settings("apple-pie", d_k=16, heads=2, head=1, scale=False)
    assert np.allclose(stacks.cross(settings, settings).weights, shown_head(settings).weights, atol=1e-12)


@pytest.mark.parametrize("settings", SAMPLE[::2])
def test_words_one_by_one_are_the_full_pass(settings: Settings) -> None:
    n = settings.n_tokens
    found = stacks.generated(settings, n - 1)
    assert found.difference <= 1e-12
    assert found.cache.dot_products == n * (n + 1) // 2
    assert found.cache.K.shape == (n, settings.d_k)


@pytest.mark.parametrize(("heads", "head"), [(heads, head) for heads in HEAD_CHOICES for head in range(heads)])
def test_the_circuits_are_those_of_the_shown_head(heads: int, head: int) -> None:
    settings = Settings(heads=heads, head=head)
    table = payload(transformer.circuits, (settings,), "light")["table"]["rows"]
    numbers = np.array([[float(cell.replace("−", "-")) for cell in row[1:]] for row in table])
    X = embed(settings.tokens)
    assert np.abs(X @ numbers[:, :4] @ X.T - attend(settings).heads[head].scores).max() < 0.1  # two decimals each
    if head == 0:
        assert np.array_equal(numbers[:, :4], W_Q @ W_K.T)


def test_a_step_that_no_longer_fits_is_none() -> None:
    app = visit(Settings("river-bank"))
    app.slider(key="transformer_words_6").set_value(4).run()
    app.selectbox(key="sentence").select("cat-sat").run()
    healthy(app)
    assert len(pictures(app)[1]["table"]["rows"]) == 4
