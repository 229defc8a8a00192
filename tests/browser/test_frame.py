"""The frame round the pages: links, navigation, notices, theme, phone width, keyboard."""

from collections.abc import Callable
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from attention_ui import about, prose
from attention_ui.figures.template import PALETTES
from benchmarks.visitor import Visitor

CHAPTERS = {("" if c.slug == prose.HOME else c.slug): c for c in prose.chapters()}
PHONE = {"width": 390, "height": 844}
LONG = quote(" ".join([f"extravagant{letter}" for letter in "abcdefghijk"] + ["x" * 60]))

# What reaches past the right edge without a scroller of its own round it.
TOO_WIDE = """
() => {
  const scrolls = (e) => e.dataset.testid !== "stMain" && getComputedStyle(e).overflowX !== "visible";
  const inScroller = (e) => {
    for (let at = e.parentElement; at && at.dataset.testid !== "stMain"; at = at.parentElement)
      if (scrolls(at)) return true;
    return false;
  };
  const main = document.querySelector('[data-testid="stMain"]');
  const wide = [...main.querySelectorAll("*")].filter((e) =>
    e instanceof HTMLElement && e.getBoundingClientRect().right > innerWidth + 1 && !inScroller(e));
  for (const e of [document.documentElement, main])
    if (e.scrollWidth > innerWidth) wide.push(e);
  return wide.map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`);
}
"""


def asked(page: Page) -> dict[str, str]:
    """The settings in the address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def pressed(visitor: Visitor, name: str) -> str:
    """The choice that one of the sidebar's rows of buttons shows."""
    return visitor.control(name).get_by_role("radio", checked=True).inner_text()


def test_a_cold_deep_link_shows_its_page_with_sidebar_and_settings(
    visitor: Visitor, fresh_app: Callable[[], str]
) -> None:
    visitor.visit(fresh_app() + "/matrix?sentence=apple-pie&heads=2&head=2&mask=causal")
    page = visitor.page
    expect(page.get_by_role("heading", level=1)).to_have_text(CHAPTERS["matrix"].title)
    expect(page.get_by_test_id("stSidebarNav").get_by_role("link")).to_have_count(len(CHAPTERS))
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    expect(visitor.control("sentence").get_by_role("combobox")).to_have_value("apple-pie")
    assert [pressed(visitor, name) for name in ("heads", "head", "mask")] == ["2", "2", "causal"]
    assert asked(page) == {"sentence": "apple-pie", "heads": "2", "head": "2", "mask": "causal"}


def test_a_bad_link_shows_the_defaults_with_a_notice_and_a_clean_address(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url + "/matrix?heads=99&d_k=7&mask=maybe&sentence=nope&focus=12")
    page = visitor.page
    notice = page.get_by_test_id("stAlert")
    for name in ("heads = 99", "d_k = 7", "mask = maybe", "sentence = nope", "focus = 12"):
        expect(notice).to_contain_text(name)
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(visitor.control("sentence").get_by_role("combobox")).to_have_value("river-bank")
    assert [pressed(visitor, name) for name in ("heads", "d_k", "mask", "focus")] == ["1", "2", "none", "6"]
    assert asked(page) == {}


def test_settings_hold_on_every_page_and_after_reload(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    page = visitor.page
    changes: dict[str, object] = {"sentence": "apple-pie", "d_k": 16, "mask": "causal", "scale": False}
    for name, value in changes.items():
        visitor.choose(name, value)
    expected = {"sentence": "apple-pie", "d_k": "16", "mask": "causal", "scale": "false"}
    for chapter in CHAPTERS.values():
        with visitor.answered():
            page.get_by_test_id("stSidebarNav").get_by_role("link", name=chapter.title, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(chapter.title)
        assert asked(page) == expected
    visitor.visit(page.url)
    assert asked(page) == expected
    with visitor.answered():
        page.get_by_test_id("stSidebarNav").get_by_role("link", name=CHAPTERS["matrix"].title, exact=True).click()
    assert [pressed(visitor, name) for name in ("d_k", "mask")] == ["16", "causal"]
    expect(visitor.control("scale").get_by_role("switch")).not_to_be_checked()


def test_a_new_sentence_moves_the_focus_to_its_own_word(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url + "/?focus=2")
    assert pressed(visitor, "focus") == "2"
    visitor.choose("sentence", "apple-pie")
    expect(visitor.page.get_by_test_id("stMain")).to_contain_text("How does apple find out")
    expect(visitor.page.get_by_role("img", name="apple listens").first).to_be_visible()
    assert asked(visitor.page) == {"sentence": "apple-pie"}


def test_two_tabs_do_not_disturb_each_other(visitor: Visitor, app_url: str) -> None:
    other = Visitor(visitor.page.context.new_page())
    visitor.visit(app_url)
    other.visit(app_url + "/?sentence=apple-pie")
    visitor.choose("mask", "causal")
    other.choose("d_k", 64)
    visitor.choose("heads", 2)
    assert asked(visitor.page) == {"mask": "causal", "heads": "2"}
    assert asked(other.page) == {"sentence": "apple-pie", "d_k": "64"}
    expect(visitor.page.get_by_test_id("stMain")).to_contain_text("How does bank find out")
    expect(other.page.get_by_test_id("stMain")).to_contain_text("How does apple find out")


def grounds(page: Page, theme: str) -> None:
    """Every figure stands on the theme's own card."""
    card = PALETTES[theme].card
    rgb = ", ".join(str(int(card[i : i + 2], 16)) for i in (1, 3, 5))
    charts = page.locator(".js-plotly-plot")
    for chart in charts.all():
        expect(chart.locator(".main-svg").first).to_have_css("background-color", f"rgb({rgb})")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_follow_the_colour_scheme_and_the_menu(visitor: Visitor, app_url: str, theme: str) -> None:
    other = {"light": "dark", "dark": "light"}[theme]
    page = visitor.page
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    visitor.visit(app_url)
    grounds(page, theme)
    page.get_by_role("button", name="Main menu").click()
    page.get_by_role("menuitemradio", name=other.title()).click()
    grounds(page, other)


@pytest.mark.browser_context_args(viewport=PHONE)
@pytest.mark.parametrize("slug", CHAPTERS)
def test_long_words_do_not_scroll_sideways_on_a_phone(visitor: Visitor, app_url: str, slug: str) -> None:
    visitor.visit(f"{app_url}/{slug}?heads=2&sentence=own&words={LONG}")
    assert visitor.page.evaluate(TOO_WIDE) == []


def test_every_control_is_reached_by_keyboard_alone(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url + "/matrix?heads=2&mask=window")
    page = visitor.page
    keys = """(all) => all.flatMap((e) => [...e.closest('[class*="st-key-"]')?.classList ?? []])
      .filter((name) => name.startsWith("st-key-"))"""
    controls = page.locator("input, button, select, a[href], [role=radio], [role=switch]")
    expected = set(controls.evaluate_all(keys))
    assert {"st-key-sentence", "st-key-d_k", "st-key-row", "st-key-window"} <= expected
    reached: set[str] = set()
    for _ in range(120):
        page.keyboard.press("Tab")
        reached |= set(page.locator(":focus").evaluate_all(keys))
    assert expected - reached == set()
    visitor.control("d_k").get_by_role("radio", checked=True).focus()
    with visitor.answered():
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
    assert asked(page)["d_k"] == "4"


def test_the_menu_tells_the_version(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    page = visitor.page
    page.get_by_test_id("stMainMenu").click()
    page.get_by_text("About", exact=True).click()
    told = [line.strip("*") for line in about.menu().splitlines() if line]
    expect(page.get_by_role("dialog").get_by_role("paragraph")).to_have_text(told)


@pytest.mark.parametrize("kind", [".stMarkdown", ".stHtml"])
def test_a_link_to_the_glossary_opens_beside_the_page_and_lands_on_its_word(
    visitor: Visitor, app_url: str, kind: str
) -> None:
    visitor.visit(f"{app_url}/positions?mask=causal")
    page = visitor.page
    term = page.locator(f'{kind} a[href^="reference#"]').first
    entry = (term.get_attribute("href") or "").partition("#")[2]
    with page.context.expect_page() as opened:
        term.click()
    heading = opened.value.locator(f"#{entry}")
    expect(heading).to_be_in_viewport()
    assert page.url == f"{app_url}/positions?mask=causal"
