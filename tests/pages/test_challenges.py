"""The banner of a challenge follows the page that it is on, and the list ticks off what is solved."""

import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from urllib.parse import parse_qsl, urlsplit

import pytest
from streamlit.testing.v1 import AppTest

from attention_core.worksheet import LINES
from attention_ui.captions import exact, winners
from attention_ui.challenges import CHALLENGES, Challenge, named
from attention_ui.link import VIEW
from attention_ui.settings import Settings, shown_head
from attention_ui.sheet import steps_html, worksheet_html
from attention_ui.teaching import MISTAKES, PLAN, WORKSHEETS, Lesson, Worksheet, worksheet
from tests.cases import ROOT, component, drag, go_to, html, link, open_app, pictures, send, settings_of
from tests.pages.test_pages import healthy


def banners(app: AppTest) -> list[str]:
    """What is said of the challenge that is on."""
    return [text for text in html(app) if "al-challenge'" in text or "al-challenge " in text]


def links(app: AppTest) -> list[str]:
    """Where the links in the page's HTML lead."""
    return [unescape(address) for text in html(app) for address in re.findall("href='([^']*)'", text)]


@lru_cache
def hash_of(slug: str) -> str:
    """What Streamlit calls a page."""
    return go_to(open_app(), slug)._page_hash


def follow(address: str) -> AppTest:
    """Open a link as a browser would: a new visit with its parameters, on its page."""
    parts = urlsplit(address)
    app = AppTest.from_file(str(ROOT / "attention_ui" / "frame.py"), default_timeout=60)
    app._page_hash = hash_of(parts.path.removeprefix("./") or "home")
    for name, text in parse_qsl(parts.query, strict_parsing=bool(parts.query)):
        app.query_params[name] = text
    return app.run()


def on(name: str, slug: str = "", **readable: str) -> AppTest:
    """A page with a challenge on, its own by default."""
    challenge = named(name)
    assert challenge is not None
    return go_to(open_app(**{**challenge.start, "challenge": name, **readable}), slug or challenge.slug)


def solved(app: AppTest) -> str:
    """What the link says is solved."""
    return "".join(app.query_params.get("solved", [""]))


@pytest.mark.parametrize("challenge", CHALLENGES, ids=lambda challenge: challenge.id)
def test_none_is_solved_at_its_start(challenge: Challenge) -> None:
    app = follow(challenge.link(["even"] if challenge.id != "even" else []))
    healthy(app)
    assert not app.warning
    (banner,) = banners(app)
    assert challenge.task in banner
    assert "al-solved" not in banner
    assert challenge.id not in solved(app)


def test_a_drag_solves_the_third_and_the_link_says_so() -> None:
    app = drag(on("river", solved="even-<b>"), "query-5", 6, 6)
    assert "Solved." in banners(app)[0]
    assert solved(app) == "even-river"
    assert any("challenge=width&solved=even-river" in way for way in links(app))
    app.button(key="arrows_reset").click().run()
    assert "Solved before." in banners(app)[0]
    assert "77 %" in banners(app)[0]
    assert solved(app) == "even-river"


def test_controls_of_all_kinds_are_followed() -> None:
    app = on("wrong")
    app.text_input(key="sequence").set_value("A B A C A D").run()
    assert solved(app) == "wrong"

    app = on("cue")
    app.slider(key="positions_strength").set_value(0.9).run()
    assert solved(app) == "cue"

    app = on("rate")
    send(app, "lookup_run", play={"seq": 1, "rate": 1.5, "step": 100})
    assert solved(app) == "rate"

    app = on("pie")
    app.segmented_control(key="mask").set_value("none").run()
    assert solved(app) == "pie"

    app = on("trade")
    next(each for each in app.slider if str(each.key).startswith("caution_percent")).set_value(-100).run()
    assert solved(app) == "trade"

    app = on("window")
    app.select_slider(key="cost_n").set_value(4096).run()
    app.slider(key="cost_window").set_value(41).run()
    assert solved(app) == "window"

    app = on("even")
    values = {grid["id"]: grid["values"] for grid in component(app, "sheet_grids")["grids"]}
    values["key"][1], values["key"][2] = [0, 1], [0, 1]
    send(app, "sheet_grids", edit={"seq": 1, "values": values})
    assert solved(app) == "even"

    app = on("food")
    values = {grid["id"]: grid["values"] for grid in component(app, "projections_W")["grids"]}
    values["W_V"][0] = [-4, 0]
    send(app, "projections_W", edit={"seq": 1, "values": values})
    assert solved(app) == "food"

    app = on("width")
    app.toggle(key="scale").set_value(False).run()
    assert not solved(app)
    app.segmented_control(key="d_k").set_value(16).run()
    assert solved(app) == "width"


def test_without_a_challenge_there_is_no_element_for_it() -> None:
    usual, app = open_app(), open_app(challenge="river")
    assert not banners(usual)
    assert len(app.main.children) == len(usual.main.children) + 1
    assert not banners(go_to(app, "challenges"))


def test_on_another_page_it_says_where_it_belongs() -> None:
    app = on("river", "matrix", solved="even")
    (banner,) = banners(app)
    assert "belongs to another page" in banner
    assert "arrows?challenge=river&solved=even" in links(app)


@pytest.mark.parametrize("name", ["nope", "<script>alert(1)</script>", "river ", "x" * 5000])
def test_an_unknown_one_is_refused_in_one_line(name: str) -> None:
    app = open_app(challenge=name)
    healthy(app)
    assert [each.value for each in app.warning] == ["This link asks for a challenge that is not on offer."]
    assert not banners(app)


def test_the_list_opens_each_and_ticks_off_what_is_solved() -> None:
    app = go_to(open_app(solved="pie-river-pie-<b>x"), "challenges")
    healthy(app)
    (table,) = [text for text in html(app) if "al-challenges" in text]
    assert re.findall("aria-label='(.*?)'", table) == [
        "solved" if challenge.id in ("river", "pie") else "not solved yet" for challenge in CHALLENGES
    ]
    assert links(app) == [*(challenge.link(["river", "pie"]) for challenge in CHALLENGES), "challenges"]
    assert "**2 of 10**" in app.markdown[1].value
    assert "<b>" not in table

    fresh = go_to(open_app(), "challenges")
    assert "solved'" not in html(fresh)[0].replace("not solved yet'", "")
    full = go_to(open_app(solved="-".join(challenge.id for challenge in CHALLENGES)), "challenges")
    assert "All 10 solved" in full.markdown[1].value


def ways_in() -> Iterator[tuple[str, Lesson]]:
    """Each link that the teacher's page offers."""
    yield from ((f"plan-{lesson.id}", lesson) for lesson in PLAN)
    yield from ((f"mistake-{lesson.id}", lesson) for lesson in MISTAKES)
    yield from ((f"sheet-{sheet.id}", sheet.lesson) for sheet in WORKSHEETS)


@pytest.mark.parametrize(("name", "lesson"), list(ways_in()), ids=lambda x: x if isinstance(x, str) else "")
def test_a_lesson_link_shows_what_it_says(name: str, lesson: Lesson) -> None:
    app = follow(lesson.link)
    if "ask" in lesson.readable:
        assert not pictures(app)
        next(button for button in app.button if button.label == "Show me").click().run()
    healthy(app)
    assert not app.warning
    told = link(settings_of(app))
    for parameter, text in lesson.readable.items():
        assert told.get(parameter, "".join(app.query_params.get(parameter, ""))) == text
    noted = app.session_state["link"].noted
    assert {key: noted[key] for key in lesson.shown} == dict(lesson.shown)
    assert (VIEW in app.query_params) is bool(lesson.shown)


@pytest.mark.parametrize("sheet", WORKSHEETS, ids=lambda sheet: sheet.id)
def test_a_worksheet_has_the_numbers_of_its_page(sheet: Worksheet) -> None:
    trace, tokens = shown_head(sheet.settings), sheet.settings.tokens
    page = "".join(html(follow(sheet.lesson.link)))
    for step in steps_html(trace, tokens, sheet.settings.focus, 2):
        assert step in page
    paper = worksheet(sheet, "the-link")
    assert paper == worksheet_html(trace, tokens, sheet.queries, sheet.blanks, 2, "the-link")
    given = set(LINES) - set(sheet.blanks)
    sheets, key = paper.split("Answer key")
    assert ("<td></td>" in sheets) is bool(sheet.blanks)
    assert "<td></td>" not in key
    assert (f"<td>{exact(float(trace.scores[sheet.queries[0], 0]))}</td>" in sheets) is ("scores" in given)


def test_the_teachers_page_offers_them_all() -> None:
    app = go_to(open_app(), "teaching")
    healthy(app)
    assert links(app) == [lesson.link for lesson in (*PLAN, *MISTAKES)]
    assert sum(lesson.minutes for lesson in PLAN) == 45
    assert app.markdown[1].value.startswith("### 45 minutes")
    assert "40–45" in html(app)[0]
    assert len(app.get("download_button")) == len(WORKSHEETS)
    cat = shown_head(Settings("cat-sat")).weights[1]
    assert ("evenly over three words" in html(app)[1]) is (len(winners(cat)) == 3)
