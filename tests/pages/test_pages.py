"""Every page with many settings, hostile words and bad links, as a browser would ask for it, but without one."""

import csv
import io
import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from attention_core import SENTENCES, tokenize
from attention_ui import prose
from attention_ui.escape import for_markdown, labels, short
from attention_ui.settings import EXAMPLE_WORDS, OWN, Settings, shown_head
from tests.cases import (
    HOSTILE_SETTINGS,
    PAGES,
    SAMPLE,
    go_to,
    html,
    link,
    literal,
    markdown,
    open_app,
    pictures,
    printed_table,
    run_program,
    settings_of,
    texts,
    verdict,
    words_of,
)
from tests.ui.test_ledger import Reader

BAD_NUMBER = re.compile(r"(?<![\w&<-])[-−]?(nan|inf|infinity)(?![\w>])|[-−]0\.00(?!\d)", re.IGNORECASE)
# Pictures on the pages of a sentence whose axes name models, heads or parts of a block.
OTHER_AXES = ("Bytes of the key/value cache", "Shared keys and values", "The residual stream")
SENTENCE_PAGES = ("home", "matrix")
PLACES = {str(place) for place in range(1, 13)}  # axes that count instead of naming


def healthy(app: AppTest) -> None:
    """No traceback, and no number that is none."""
    assert not app.exception, [error.message for error in app.exception]
    for text in texts(app):
        assert not BAD_NUMBER.search(text), text


@pytest.fixture(
    scope="module",
    params=[*SAMPLE[:24:3], *SAMPLE[24:]],
    ids=lambda s: f"{s.words or s.sentence}-{s.mask}-{s.d_k}-{s.heads}",
)
def visit(request: pytest.FixtureRequest) -> tuple[Settings, AppTest]:
    """A visit that a link to some settings has just begun."""
    settings: Settings = request.param
    return settings, open_app(**link(settings))


def test_every_page_under_every_kind_of_setting(visit: tuple[Settings, AppTest]) -> None:
    settings, app = visit
    assert not app.warning
    for page in PAGES:
        go_to(app, page)
        healthy(app)
        assert settings_of(app) == settings  # a link is honoured, and holds on every other page
        for picture in pictures(app):
            assert run_program(picture["program"]) == printed_table(picture), picture["name"]
            assert len(picture["alt"]) == len(picture["figures"])
            assert len(picture["joints"]) == len(picture["figures"]) - 1
            assert all(alt and alt == alt.strip() for alt in picture["alt"])
            header, *rows = csv.reader(io.StringIO(picture["csv"]))
            assert header == picture["table"]["columns"]
            assert [row[0] for row in rows] == [row[0] for row in picture["table"]["rows"]]


def test_alt_text_names_the_winner_and_ties_as_ties(visit: tuple[Settings, AppTest]) -> None:
    settings, app = visit
    go_to(app, "home")
    alt = pictures(app)[0]["alt"][0]
    weights, names = shown_head(settings).weights[settings.focus], labels(settings.tokens)
    best = [i for i, weight in enumerate(weights) if weight > weights.max() - 1e-9]
    assert ("a tie at" in alt or "equally to" in alt) == (len(best) > 1)
    for i in best:
        assert names[i] in alt.split(" listens ")[1] or (i == settings.focus and "to itself" in alt)
    others = pictures(go_to(app, "matrix"))
    assert alt in others[0]["alt"][1]


# Words


@pytest.mark.parametrize("settings", HOSTILE_SETTINGS, ids=lambda s: ascii(s.words)[1:30])
def test_words_are_shown_literally(settings: Settings) -> None:
    tokens, names = settings.tokens, labels(settings.tokens)
    app = open_app(**link(settings))
    for page in PAGES:
        go_to(app, page)
        assert not app.exception
        assert settings_of(app).tokens == tokens
        follows = "sentence" in prose.read(page.stem.replace("_", "-")).controls  # other pages have words of their own
        for picture in pictures(app):
            assert run_program(picture["program"]) == printed_table(picture)
            of_words = follows and picture["name"] not in OTHER_AXES
            for figure in picture["figures"]:
                for axis in ("xaxis", "yaxis"):
                    ticks = figure["layout"].get(axis, {}).get("ticktext") or []
                    for tick in ticks if of_words and len(ticks) == len(tokens) > 1 else []:
                        word = literal(tick.split("<br>")[0])
                        assert word in {short(token) for token in (*tokens, *names)} | {"x", "y"} | PLACES
                for trace in figure["data"]:
                    hover = trace.get("hovertext") or []
                    for text in np.ravel(hover).tolist():
                        assert not re.search(r"<|&(?!(amp|lt|gt);)", text), text
        for body in html(app) if page.stem not in ("challenges", "teaching") else ():  # theirs have links, no words
            Reader(body)  # complains about any tag or attribute of a word's own
        said = "\n".join(markdown(app))
        for token in set(tokens):
            if re.search(r"[^\w\s]", token) and token.isascii() and len(token) > 2:
                assert not re.search(rf"(?<![\w\\]){re.escape(token)}(?!\w)", said), token
        if page.stem in SENTENCE_PAGES:
            picture = pictures(app)[0]
            assert [row[0] for row in picture["table"]["rows"]] == list(names)
            assert [row[0] for row in list(csv.reader(io.StringIO(picture["csv"])))[1:]] == list(names)
            assert for_markdown(names[settings.focus]) in said


def test_two_of_the_same_word_are_two_words() -> None:
    app = open_app(sentence=OWN, words="the cat saw the dog")
    for focus in (1, 4):
        go_to(app, "home")
        app.segmented_control(key="focus").set_value(focus).run()
        assert settings_of(app).focus == focus - 1
        grid = pictures(app)[1]
        assert [len(row) for row in grid["table"]["rows"]] == [6] * 5
        assert grid["table"]["columns"][1:] == ["the (1)", "cat", "saw", "the (4)", "dog"]
        assert grid["figures"][0]["layout"]["shapes"][0]["y0"] == focus - 1.5
        assert f"the ({focus})" in pictures(app)[0]["alt"][0]
    go_to(app, "matrix")
    rows, columns = [box for box in app.selectbox if box.label.startswith(("Row", "Column"))]
    assert list(rows.options) == list(columns.options) == ["the (1)", "cat", "saw", "the (4)", "dog"]
    rows.select_index(0).run()
    assert settings_of(app).focus == 0
    app.selectbox[1].select_index(3).run()
    healthy(app)
    assert "**the \\(4\\)** adds" in "".join(markdown(app)) or "*the \\(4\\)*" in "".join(markdown(app))
    for picture in pictures(app):
        assert len(picture["table"]["rows"]) == 5


@pytest.mark.parametrize(
    ("words", "tokens", "notice"),
    [
        ("hello", ("hello",), None),
        ("a b c d e f g h i j k l", tuple("abcdefghijkl"), None),
        ("a b c d e f g h i j k l m", tuple("abcdefghijkl"), "Your sentence has 13 words; the first 12 are used."),
        ("  the\tcat \n saw  it ", ("the", "cat", "saw", "it"), None),
        ("", tokenize(EXAMPLE_WORDS), "Your sentence is empty, so an example stands in for it."),
        (" \t ", tokenize(EXAMPLE_WORDS), "Your sentence is empty, so an example stands in for it."),
        ("1 2 10 2024 1e5", ("1", "2", "10", "2024", "1e5"), None),
        ("w" * 60, ("w" * 60,), None),
        ("我爱北京", ("我", "爱", "北", "京"), None),
        ("جلست على ضفة النهر", ("جلست", "على", "ضفة", "النهر"), None),
        ("👨‍👩‍👧‍👦 e\u0301te\u0301", ("👨‍👩‍👧‍👦", "e\u0301te\u0301"), None),
    ],
)
def test_ones_own_sentence(words: str, tokens: tuple[str, ...], notice: str | None) -> None:
    app = open_app(sentence=OWN, words=words)
    for slug in SENTENCE_PAGES:
        go_to(app, slug)
        healthy(app)
        assert settings_of(app).tokens == tokens
        assert [element.value for element in app.warning] == ([notice] if notice else [])
        ticks = pictures(app)[0]["figures"][0]["layout"]["xaxis"]["ticktext"]
        assert [literal(tick.split("<br>")[0]) for tick in ticks] == [short(token) for token in tokens]
        for token in tokens:
            assert any(token in row[0] for row in pictures(app)[0]["table"]["rows"])  # the full word


def test_a_word_alone_has_weight_1() -> None:
    app = open_app(sentence=OWN, words="hello")
    assert pictures(app)[1]["table"]["rows"] == [["hello", "1.00"]]


def test_a_typed_sentence_replaces_the_one_before() -> None:
    app = go_to(open_app(sentence=OWN, words="a b c"), "matrix")
    next(box for box in app.selectbox if box.label.startswith("Column")).select_index(2).run()
    for words in ("a_b c", "a", "a b c d e f g h i j k l m", "x"):
        app.text_input[0].set_value(words).run()
        healthy(app)
        assert settings_of(app).tokens == tokenize(words)[:12]
        column = next(box for box in app.selectbox if box.label.startswith("Column"))
        assert column.value in range(settings_of(app).n_tokens)


# Links


@pytest.mark.parametrize(
    ("base", "name", "value"),
    [
        ({}, "sentence", "money-bank"),
        ({"sentence": OWN, "words": "my apple pie"}, "words", "my apple phone"),
        ({}, "focus", "2"),
        ({}, "d_k", "16"),
        ({}, "scale", "false"),
        ({}, "mask", "causal"),
        ({"mask": "window"}, "window", "1"),
        ({"mask": "padding"}, "padding", "3"),
        ({}, "heads", "4"),
        ({"heads": "4"}, "head", "3"),
    ],
)
def test_a_link_is_honoured(base: dict[str, str], name: str, value: str) -> None:
    before, after = open_app(**base), open_app(**{**base, name: value})
    for slug in SENTENCE_PAGES:
        assert numbers(go_to(before, slug)) != numbers(go_to(after, slug))


def numbers(app: AppTest) -> list[str]:
    """The computed numbers of a page, in order."""
    healthy(app)
    assert not app.warning
    shown = "\n".join([picture["csv"] for picture in pictures(app)] + html(app))
    return re.findall(r"\d+\.\d+", shown)


GARBAGE = {
    "sentence": ["nope", "", "RIVER-BANK", "0", "own "],
    "focus": ["0", "7", "12", "-1", "2.5", "02", "", "nan", "1e0", "٣"],
    "d_k": ["7", "0", "2.0", "1e9", "inf", ""],
    "scale": ["maybe", "0", "1", "", "no"],
    "mask": ["maybe", "Causal", "", "window,padding"],
    "heads": ["99", "3", "0", "-4", "1.5"],
    "head": ["2", "0", "9"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in GARBAGE.items() for value in values])
def test_what_is_not_on_offer_gives_the_default_and_a_notice(name: str, value: str) -> None:
    app = open_app(**{name: value})
    healthy(app)
    assert settings_of(app) == Settings()
    (notice,) = (element.value for element in app.warning)
    assert f"{for_markdown(name)} \\= {for_markdown(value)}" in notice


@pytest.mark.parametrize(
    ("value", "used"), [("2.0", 2), ("4.9", 4), ("1e0", 1), ("99", 3), ("0", 3), ("-3", 3), ("nan", 3), ("inf", 3)]
)
def test_a_number_between_the_steps_is_rounded_with_a_notice(value: str, used: int) -> None:
    app = open_app(mask="window", window=value)
    healthy(app)
    assert settings_of(app).window == used
    assert f"\\(used instead\\: {used}\\)" in app.warning[0].value


def test_a_link_of_nothing_but_mistakes() -> None:
    app = open_app(heads="99", d_k="7", mask="maybe", sentence="nope", focus="12")
    healthy(app)
    assert settings_of(app) == Settings()
    (notice,) = (element.value for element in app.warning)
    for name in ("heads \\= 99", "d\\_k \\= 7", "mask \\= maybe", "sentence \\= nope", "focus \\= 12"):
        assert name in notice


def test_parameters_given_twice() -> None:
    app = open_app(heads=["2", "4"], sentence=["apple-pie", "nope"], scale=["false", "true"], focus=["1", "2"])
    healthy(app)
    (notice,) = (element.value for element in app.warning)
    assert "heads \\= 2\\, 4" in notice
    assert settings_of(app).heads in (1, 2, 4)


def test_true_and_false_in_any_case_are_no_mistake() -> None:
    for value in ("False", "FALSE", "false"):
        app = open_app(scale=value)
        assert (settings_of(app).scale, len(app.warning)) == (False, 0)


@pytest.mark.parametrize("garbage", ["x" * 4096, "<s>" * 1400, "a " * 2048, "%00\x00\u202e" * 500, "🏳️‍🌈" * 700])
def test_four_kilobytes_of_garbage(garbage: str) -> None:
    names = ("words", "focus", "d_k", "mask", "unknown", "head", "window")
    for parameters in (dict.fromkeys(names, garbage), {"sentence": OWN, "words": garbage}):
        app = open_app(**parameters)
        for page in PAGES if garbage.startswith("x") else PAGES[:1]:
            healthy(go_to(app, page))
        assert all(len(element.value) < 1000 for element in app.warning)


# Moving about


@pytest.mark.parametrize("sentence", list(SENTENCES))
def test_a_new_sentence_moves_the_focus_to_its_own_focus_word(sentence: str) -> None:
    elsewhere = "apple-phone" if sentence != "apple-phone" else "river-bank"
    for page_choice in (False, True):
        app = open_app(sentence=elsewhere, focus="1")
        assert settings_of(app).focus == 0
        if page_choice:
            app.segmented_control(key="pick").set_value(sentence).run()
        else:
            app.selectbox(key="sentence").select(sentence).run()
        assert (settings_of(app).sentence, settings_of(app).focus) == (sentence, SENTENCES[sentence].focus)
        healthy(app)


def test_a_setting_changed_on_one_page_holds_on_every_other() -> None:
    app = open_app()
    changes: list[tuple[str, Any]] = [
        ("focus", 2),
        ("d_k", 8),
        ("mask", "window"),
        ("heads", 4),
        ("head", 3),
    ]
    for key, value in changes:
        app.segmented_control(key=key).set_value(value).run()
    app.toggle(key="scale").set_value(False).run()
    app.slider(key="window").set_value(2).run()
    expected = Settings(focus=1, d_k=8, scale=False, mask="window", window=2, heads=4, head=2)
    for page in (*PAGES, *reversed(PAGES)):
        assert settings_of(go_to(app, page)) == expected
        healthy(app)


def test_ones_own_words_wait_in_the_link_until_they_are_chosen() -> None:
    app = open_app(words="bank", focus="6")
    app.selectbox(key="sentence").select(OWN).run()
    healthy(app)
    assert (settings_of(app).tokens, settings_of(app).focus) == (("bank",), 0)


def test_fewer_heads_bring_the_shown_one_back() -> None:
    app = open_app(heads="8", head="8")
    for heads in (4, 1, 8):
        app.segmented_control(key="heads").set_value(heads).run()
        healthy(app)
        assert settings_of(app).head < heads


def test_the_row_of_the_matrix_is_the_focus_word() -> None:
    app = go_to(open_app(), "matrix")
    rows = next(box for box in app.selectbox if box.label.startswith("Row"))
    assert rows.value == 5
    rows.select_index(1).run()
    assert settings_of(app).focus_word == "sat"
    assert pictures(go_to(app, "home"))[0]["alt"][0].startswith("sat listens")


def test_every_guess_is_judged_by_the_numbers() -> None:
    for slug in SENTENCE_PAGES:
        verdicts = set()
        app = go_to(open_app(), slug)
        for option in range(6):
            app.pills[0].set_value(option).run()
            healthy(app)
            verdicts.add(verdict(app))
        assert verdicts == {"Yes", "Not quite"}


def test_every_shuffle() -> None:
    app = go_to(open_app(mask="causal"), "matrix")
    seen = []
    for order in ("reverse", "first word last", "at random"):
        app.segmented_control(key="matrix_shuffle").set_value(order).run()
        healthy(app)
        seen.append(pictures(app)[-1]["csv"])
        assert sorted(pictures(app)[-1]["table"]["columns"][1:]) == sorted(SENTENCES["river-bank"].tokens)
    assert len(set(seen)) == 3


def test_alt_texts_change_with_the_numbers() -> None:
    for slug in SENTENCE_PAGES:
        alts = []
        for settings in (Settings(), Settings("money-bank", focus=0), Settings("apple-pie")):
            alts.append(
                [alt for picture in pictures(go_to(open_app(**link(settings)), slug)) for alt in picture["alt"]]
            )
        for one, two, three in zip(*alts, strict=True):
            assert len({one, two, three}) > 1, one


def test_the_numbers_on_the_page_are_the_models() -> None:
    app = open_app()
    assert words_of(pictures(app)[0])[1] == "bank listens most to river, 77 %"
    rows = pictures(app)[1]["table"]["rows"]
    shown = np.array([[float(cell) for cell in row[1:]] for row in rows])
    assert np.abs(shown - shown_head(Settings()).weights).max() <= 0.005001
