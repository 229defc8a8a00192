"""Chapter 13 as a reader uses it: any sequence, any place, a part taken away, another seed."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.cases import go_to, html, markdown, open_app, pictures, printed_table, run_program, verdict
from tests.pages.test_pages import healthy
from tests.ui.test_ledger import Reader


def opened(sequence: str | None = None) -> AppTest:
    """The page with a sequence in its link."""
    parameters = {} if sequence is None else {"sequence": sequence}
    return go_to(open_app(**parameters), "two-layers")


@pytest.mark.parametrize(
    ("sequence", "tokens", "notice"),
    [
        *((" ".join(("ABCDEFGHIJK"[:p] * 24)[:24]), 24, None) for p in range(1, 12)),
        ("A B C D E F", 6, None),
        ("A", 1, None),
        ("A B A", 3, None),
        ("A A A A A A", 6, None),
        (" ".join("ABCDE" * 5), 24, "Your sequence has 25 words; the first 24 are used."),
        ("  ", 10, "Your sequence is empty, so an example stands in for it."),
        ("<s> $5 *x* %{x} <s> $5 *x*", 7, None),
        ("x" * 4096, 1, None),
        ("a " * 2048, 24, "Your sequence has 2048 words; the first 24 are used."),
    ],
)
def test_any_sequence(sequence: str, tokens: int, notice: str | None) -> None:
    app = opened(sequence)
    healthy(app)
    assert [element.value for element in app.warning] == ([notice] if notice else [])
    assert len(pictures(app)[0]["table"]["rows"]) == tokens + 1
    for picture in pictures(app):
        assert run_program(picture["program"]) == printed_table(picture)
    for body in html(app):
        Reader(body)


def test_hostile_tokens_stay_words() -> None:
    app = opened("<s> $5 *x* %{x} <s> $5 *x*")
    said = "\n".join(markdown(app))
    assert not any(token in said for token in ("<s>", " $5", "%{x}"))
    written = " ".join(Reader(body).text for body in html(app))
    assert all(token in written for token in ("<s>", "$5", "*x*", "%{x}"))
    assert "It predicts %{x}" in written


def test_a_part_is_taken_away_and_put_back() -> None:
    app = opened()
    whole = [picture["csv"] for picture in pictures(app)[:2]]
    for part, said in (("layer 1", "every slot is empty"), ("layer 2", "It predicts nothing")):
        app.segmented_control(key="two_layers_removed").set_value(part).run()
        healthy(app)
        assert said in " ".join(html(app))
        assert [picture["csv"] for picture in pictures(app)[:2]] != whole
    app.segmented_control(key="two_layers_removed").set_value("nothing").run()
    assert [picture["csv"] for picture in pictures(app)[:2]] == whole
    app.toggle(key="two_layers_start").set_value(False).run()
    place = next(box for box in app.selectbox if box.label == "The word that asks")
    place.select_index(6).run()
    healthy(app)
    assert "<h3>It predicts A</h3>" in " ".join(html(app))


def test_a_picked_sequence_is_the_text_and_starts_at_its_end() -> None:
    app = opened()
    app.pills(key="sequence_pick").set_value("two answers").run()
    healthy(app)
    assert app.text_input(key="sequence").value == "the cat sat on the mat the"
    assert pictures(app)[1]["alt"][1].startswith("After the (7) it predicts cat")
    app.text_input(key="sequence").set_value("a b a b").run()
    healthy(app)
    assert app.pills(key="sequence_pick").value is None


def test_words_that_never_come_back_have_no_scores() -> None:
    said = "\n".join(markdown(opened("A B C")))
    assert "Nothing to measure here" in said
    assert "no accuracy here" in "\n".join(markdown(opened("A B A")))


def test_the_guess_is_judged() -> None:
    app = opened()
    verdicts = []
    for option in range(3):
        app.pills[0].set_value(option).run()
        verdicts.append(verdict(app))
    assert verdicts == ["Not quite", "Not quite", "Yes"]


def test_another_seed_is_another_run() -> None:
    app = opened()
    before = pictures(app)[-1]
    app.number_input(key="two_layers_seed").set_value(1).run()
    healthy(app)
    after = pictures(app)[-1]
    assert (before["play"]["id"], after["play"]["id"]) == ("0", "1")
    assert after["table"] != before["table"]
    assert after["player"]["more"] is False
    assert "rate" not in after["player"]
