"""Chapter 3's planes: arrows dragged by mouse, touch and keyboard, and what follows from them."""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import hypot
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.server import Server, serve
from benchmarks.visitor import Visitor

ASK, VALUES = "arrows_ask", "arrows_values"
BADGE = "Changed by you. Put all arrows back"


def arrow(page: Page, name: str) -> Locator:
    """A draggable arrow by its full name, such as "query of bank"."""
    return page.locator(f'.al-canvas-arrow[aria-label^="{name},"]')


def tip(page: Page, name: str) -> tuple[float, float]:
    """Where an arrow points, as a screen reader is told."""
    said = str(arrow(page, name).get_attribute("aria-label")).replace("−", "-")
    x, y = said.rsplit(", ", 2)[1:]
    return float(x), float(y)


def place(page: Page, name: str) -> tuple[float, float]:
    """Where an arrow's tip is on screen."""
    box = arrow(page, name).locator(".target").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def pixels(page: Page, canvas: str, name: str, x: float, y: float) -> tuple[float, float]:
    """Where (x, y) is on screen, given an arrow that does not point nowhere."""
    box = page.locator(f".st-key-{canvas} svg").first.bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    at, vector = place(page, name), tip(page, name)
    unit = hypot(at[0] - middle[0], at[1] - middle[1]) / hypot(*vector)
    return middle[0] + x * unit, middle[1] - y * unit


def drag(page: Page, canvas: str, name: str, x: float, y: float, release: bool = True) -> None:
    """Drag an arrow's tip to (x, y) by mouse."""
    page.locator(f".st-key-{canvas} svg").first.scroll_into_view_if_needed()
    there = pixels(page, canvas, name, x, y)
    page.mouse.move(*place(page, name))
    page.mouse.down()
    page.mouse.move(*there, steps=4)
    if release:
        page.mouse.up()


def row(page: Page, word: str) -> Locator:
    """A word's row of the ledger."""
    return (
        page.locator(".al-ledger").first.locator("tr").filter(has=page.get_by_role("rowheader", name=word, exact=True))
    )


def weight(page: Page, word: str) -> Locator:
    """A word's weight in the ledger."""
    return row(page, word).locator("td").last


def fields(page: Page, canvas: str) -> tuple[Locator, Locator, Locator]:
    """A canvas's list of arrows and its two fields."""
    box = page.locator(f".st-key-{canvas} .al-canvas-inputs")
    return box.locator("select"), box.get_by_label("x", exact=True), box.get_by_label("y", exact=True)


def near(page: Page, name: str, x: float, y: float, within: float = 0.06) -> None:
    """Wait until an arrow points at (x, y)."""
    deadline = time.monotonic() + 10
    while hypot(tip(page, name)[0] - x, tip(page, name)[1] - y) > within:
        assert time.monotonic() < deadline, (tip(page, name), (x, y))
        page.wait_for_timeout(50)


@pytest.fixture
def lab(visitor: Visitor, app_url: str) -> Page:
    """Chapter 3 with its defaults."""
    visitor.visit(f"{app_url}/arrows")
    arrow(visitor.page, "query of bank").wait_for()
    return visitor.page


@contextmanager
def stopped(server: Server) -> Iterator[None]:
    """The server does not answer for a while."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.pid, signal.SIGCONT)


# Mouse, touch, keyboard


def test_by_mouse_all_that_is_linked_follows_while_the_button_is_down(lab: Page) -> None:
    grid = lab.locator(".st-key-weight_grid .js-plotly-plot")
    texts = lab.locator(".al-sum")
    before = [grid.text_content(), *texts.all_text_contents()]
    drag(lab, ASK, "query of bank", 0, 2, release=False)
    expect(weight(lab, "river")).to_have_text("0.20")
    near(lab, "query of bank", 0, 2)
    expect(grid).to_contain_text("0.20")
    for one, other in zip(before, [grid.text_content(), *texts.all_text_contents()], strict=True):
        assert one != other
    lab.mouse.up()
    expect(lab.get_by_role("button", name=BADGE)).to_be_enabled()
    x, y = tip(lab, "query of bank")
    assert (round(x, 2), round(y, 2)) == (x, y)


def test_values_stay_in_their_hull_and_drag_the_blend_along(lab: Page) -> None:
    head = lab.locator(f".st-key-{VALUES} .al-canvas-output .head")
    hull = lab.locator(f".st-key-{VALUES} .al-canvas-hull")
    before = head.get_attribute("d"), hull.get_attribute("points")
    drag(lab, VALUES, "value of river", 1, 3)
    near(lab, "value of river", 1, 3, within=0.2)
    expect(head).not_to_have_attribute("d", str(before[0]))
    expect(hull).not_to_have_attribute("points", str(before[1]))


@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
def test_by_touch(lab: Page) -> None:
    lab.locator(f".st-key-{ASK} svg").first.scroll_into_view_if_needed()
    touch = lab.context.new_cdp_session(lab)
    start, end = place(lab, "query of bank"), pixels(lab, ASK, "query of bank", 0, 2)
    scrolled = lab.locator('[data-testid="stMain"]').evaluate("(e) => e.scrollTop")

    def send(kind: str, *points: tuple[float, float]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    send("touchStart", start)
    for part in range(1, 6):
        send("touchMove", (start[0] + (end[0] - start[0]) * part / 5, start[1] + (end[1] - start[1]) * part / 5))
    expect(weight(lab, "river")).to_have_text(re.compile("0.(19|20|21)"))
    send("touchEnd")
    near(lab, "query of bank", 0, 2)
    assert lab.locator('[data-testid="stMain"]').evaluate("(e) => e.scrollTop") == scrolled


def test_by_keyboard(lab: Page) -> None:
    lab.locator(".st-key-arrows_keys_as_values input").focus()
    for _ in range(12):
        lab.keyboard.press("Tab")
        if "query of bank" in lab.evaluate("document.activeElement.getAttribute('aria-label') ?? ''"):
            break
    expect(arrow(lab, "query of bank")).to_be_focused()
    lab.keyboard.press("ArrowLeft")
    near(lab, "query of bank", 1.9, 2, 0.001)
    lab.keyboard.press("Shift+ArrowDown")
    near(lab, "query of bank", 1.9, 1, 0.001)
    expect(row(lab, "river").locator("td").nth(1)).to_have_text("3.80")
    expect(lab.get_by_role("button", name=BADGE)).to_be_enabled()
    expect(arrow(lab, "query of bank")).to_be_focused()
    lab.keyboard.press("Escape")
    near(lab, "query of bank", 2, 2, 0.001)
    expect(weight(lab, "river")).to_have_text("0.77")
    expect(lab.get_by_role("button", name="No arrow moved yet")).to_be_disabled()
    lab.keyboard.press("Tab")
    expect(arrow(lab, "key of river")).to_be_focused()


def test_escape_in_the_middle_of_a_drag_puts_the_arrow_back(lab: Page) -> None:
    drag(lab, ASK, "query of bank", -2, 0, release=False)
    expect(weight(lab, "river")).not_to_have_text("0.77")
    lab.keyboard.press("Escape")
    near(lab, "query of bank", 2, 2, 0.001)
    lab.mouse.move(*place(lab, "key of river"))
    near(lab, "query of bank", 2, 2, 0.001)
    lab.mouse.up()
    expect(weight(lab, "river")).to_have_text("0.77")
    expect(lab.get_by_role("button", name="No arrow moved yet")).to_be_disabled()


def test_a_click_that_moves_nothing_changes_nothing(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows?heads=8&head=6")  # turned by 135 degrees: no round numbers
    page = visitor.page
    page.locator(f".st-key-{ASK} svg").first.scroll_into_view_if_needed()
    page.mouse.move(*place(page, "query of bank"))
    page.mouse.down()
    page.mouse.up()
    page.wait_for_timeout(500)
    expect(page.get_by_role("button", name="No arrow moved yet")).to_be_disabled()


# Modes, reset, zero vectors, fields


def test_modes_and_reset(lab: Page) -> None:
    modes = lab.locator(".st-key-arrows_mode")
    modes.get_by_role("radio", name="keep length").click()
    expect(modes.get_by_role("radio", name="keep length")).to_be_checked()
    drag(lab, ASK, "query of bank", 0, 1)
    near(lab, "query of bank", 0, 8**0.5, 0.1)
    assert hypot(*tip(lab, "query of bank")) == pytest.approx(8**0.5, abs=0.011)
    modes.get_by_role("radio", name="unit circle").click()
    expect(lab.get_by_text("no arrangement gives one of them more")).to_be_visible()
    circle = lab.locator(f".st-key-{ASK} .al-canvas-grid circle")
    expect(circle).to_have_count(1)
    near(lab, "key of river", 1, 0, 0.01)
    lab.wait_for_timeout(400)  # the plane rescales
    drag(lab, ASK, "key of river", 0.3, 0.3)
    near(lab, "key of river", 0.71, 0.71, 0.05)
    modes.get_by_role("radio", name="free").click()
    expect(circle).to_have_count(0)
    near(lab, "key of bank", 2, -2, 0.01)
    lab.get_by_role("button", name=BADGE).click()
    near(lab, "query of bank", 2, 2, 0.001)
    near(lab, "key of river", 2, 0, 0.001)
    expect(lab.get_by_role("button", name="No arrow moved yet")).to_be_disabled()


def test_a_zero_vector_is_chosen_from_the_list(lab: Page) -> None:
    choice, x, y = fields(lab, ASK)
    expect(arrow(lab, "key of she")).to_have_attribute("tabindex", "-1")
    choice.select_option(label="key of she")
    expect(arrow(lab, "key of she")).to_have_attribute("tabindex", "0")
    expect(x).to_have_value("0")
    lab.locator(f".st-key-{ASK} svg").first.scroll_into_view_if_needed()
    start, end = place(lab, "key of she"), pixels(lab, ASK, "key of river", 1, 1)
    lab.mouse.move(*start)
    lab.mouse.down()
    lab.mouse.move(*end, steps=4)
    lab.mouse.up()
    near(lab, "key of she", 1, 1)
    expect(row(lab, "she").locator("td").nth(1)).to_have_text(re.compile(r"^[34]\.\d\d$"))
    expect(y).to_have_value(re.compile(r"^(1|0\.9\d?|1\.0\d?)$"))


def test_number_fields(lab: Page) -> None:
    choice, x, y = fields(lab, ASK)
    note = lab.locator(f".st-key-{ASK} .al-canvas-note")
    choice.select_option(label="key of river")
    x.fill("3")
    expect(row(lab, "river").locator("td").nth(1)).to_have_text("6.00")
    x.fill("")  # half-typed: the last number counts
    lab.wait_for_timeout(300)
    expect(row(lab, "river").locator("td").nth(1)).to_have_text("6.00")
    x.blur()
    expect(x).to_have_value("3")
    x.press_sequentially("abc")
    expect(row(lab, "river").locator("td").nth(1)).to_have_text("6.00")
    x.fill("-0")
    near(lab, "key of river", 0, 0, 0.001)
    assert "−0" not in str(arrow(lab, "key of river").get_attribute("aria-label"))
    y.fill("1e308")
    expect(note).to_have_text("Held to ±1000.")
    near(lab, "key of river", 0, 1000, 0.001)
    y.blur()
    expect(y).to_have_value("1000")
    expect(row(lab, "river").locator("td").nth(1)).to_have_text("2000.00")
    lab.get_by_role("button", name=BADGE).click()
    near(lab, "key of river", 2, 0, 0.001)


# Late answers


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGSTOP")
@pytest.mark.parametrize("seconds", [1.0, 4.0])  # an answer that takes longer than 3 s is asked for again
def test_late_answers_never_pull_the_arrow_back_and_the_last_position_wins(visitor: Visitor, seconds: float) -> None:
    with serve() as server:
        visitor.visit(f"{server.url}/arrows")
        page = visitor.page
        drag(page, ASK, "query of bank", 1, 2, release=False)
        with stopped(server):
            there = pixels(page, ASK, "key of river", -2, 2)
            page.mouse.move(*there, steps=10)
            started = time.monotonic()
            while time.monotonic() - started < seconds:
                page.wait_for_timeout(100)
            near(page, "query of bank", -2, 2)
        for _ in range(15):
            page.wait_for_timeout(50)
            x, y = tip(page, "query of bank")
            assert hypot(x + 2, y - 2) < 0.06
        page.mouse.up()
        expect(row(page, "river").locator("td").nth(1)).to_have_text(re.compile(r"^−(3\.9\d|4\.0\d)$"))
        near(page, "query of bank", -2, 2)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGSTOP")
def test_what_was_dragged_in_one_sentence_is_no_move_of_the_next(visitor: Visitor) -> None:
    with serve() as server:
        visitor.visit(f"{server.url}/arrows")
        page = visitor.page
        with stopped(server):
            drag(page, ASK, "key of river", 1, 1)
            page.get_by_test_id("stSidebarNav")
        visitor.choose("sentence", "apple-pie")
        near(page, "query of apple", -2, 2, 0.001)
        page.wait_for_timeout(500)
        expect(page.get_by_role("button", name="No arrow moved yet")).to_be_disabled()
        assert tip(page, "key of pie") == (-2, 0)


# Coming and going


def test_leaving_in_the_middle_of_a_drag_and_coming_back(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows")
    page = visitor.page
    drag(page, ASK, "query of bank", 0, 2, release=False)
    expect(weight(page, "river")).to_have_text("0.20")
    links = page.get_by_test_id("stSidebarNav").get_by_role("link")
    links.filter(has_text="All words at once").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="All words at once")).to_be_visible()
    page.mouse.move(600, 300)
    page.mouse.up()
    visitor.settle()
    links.filter(has_text="Drag the arrows").click()
    expect(weight(page, "river")).to_have_text("0.20")
    near(page, "query of bank", 0, 2)
    drag(page, ASK, "query of bank", 2, 0)
    near(page, "query of bank", 2, 0)
    expect(row(page, "river").locator("td").nth(1)).to_have_text(re.compile(r"^(3\.9\d|4\.0\d)$"))


def test_two_tabs_do_not_meet(lab: Page, app_url: str) -> None:
    other = Visitor(lab.context.new_page())
    other.visit(f"{app_url}/arrows")
    drag(lab, ASK, "query of bank", 0, 2)
    expect(weight(lab, "river")).to_have_text("0.20")
    other.page.wait_for_timeout(300)
    expect(weight(other.page, "river")).to_have_text("0.77")
    drag(other.page, ASK, "query of bank", 2, -1)
    near(lab, "query of bank", 0, 2)
    near(other.page, "query of bank", 2, -1)


def test_the_sidebar_applies_and_arrows_stay(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows")
    page = visitor.page
    drag(page, ASK, "query of bank", 0, 2)
    expect(weight(page, "river")).to_have_text("0.20")
    visitor.choose("d_k", 64)
    expect(page.locator(".al-sum").first).to_contain_text("× √(64/2)")
    visitor.choose("scale", False)
    expect(page.get_by_role("columnheader", name="not scaled")).to_be_visible()
    visitor.choose("mask", "causal")
    visitor.choose("heads", 4)
    visitor.choose("head", 2)
    near(page, "query of bank", -2, 0)
    expect(page.get_by_text("mixed by W_O")).to_be_visible()
    visitor.choose("focus", 5)
    arrow(page, "query of river").wait_for()
    expect(row(page, "bank")).to_have_class("al-masked")


def test_keys_as_values(lab: Page) -> None:
    lab.locator(".st-key-arrows_keys_as_values label").first.click()
    expect(lab.get_by_text("Now each word hands over its")).to_be_visible()
    expect(lab.locator(f".st-key-{VALUES} .al-canvas-inputs")).to_be_hidden()
    expect(lab.locator(f".st-key-{VALUES} .compass")).to_have_count(0)
    still = lab.locator(f'.st-key-{VALUES} .al-canvas-arrow[aria-label^="key of river,"]')
    expect(still).to_have_attribute("tabindex", "-1")
    lab.locator(".st-key-arrows_keys_as_values label").first.click()
    expect(lab.locator(f".st-key-{VALUES} .compass")).to_have_count(3)
    expect(lab.locator(f".st-key-{VALUES} .al-canvas-inputs")).to_be_visible()


# The plane


def test_the_plane_rescales_after_the_release_never_while_an_arrow_is_held(lab: Page) -> None:
    lab.locator(f".st-key-{ASK} svg").first.scroll_into_view_if_needed()
    ticks = lab.locator(f".st-key-{ASK} .al-canvas-grid text")
    river = place(lab, "key of river")
    before = ticks.all_text_contents()
    drag(lab, ASK, "query of bank", 7, 1, release=False)
    for _ in range(6):
        lab.wait_for_timeout(100)
        assert ticks.all_text_contents() == before
        assert place(lab, "key of river") == pytest.approx(river, abs=0.5)
    lab.mouse.up()
    expect(ticks.first).not_to_have_text(before[0])
    near(lab, "query of bank", 7, 1, 0.2)
    lab.wait_for_timeout(400)
    box = lab.locator(f".st-key-{ASK} svg").first.bounding_box()
    assert box is not None
    x, y = place(lab, "query of bank")
    assert box["x"] < x < box["x"] + box["width"]
    assert box["y"] < y < box["y"] + box["height"]


# The ink of a text is lower than its box.
BOXES = """
(all) => all.filter((e) => e.textContent && getComputedStyle(e).display !== "none").map((e) => {
  const box = e.getBoundingClientRect();
  return [e.textContent, box.left, box.top + 2.5, box.right, box.bottom - 2.5];
})
"""


@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844})
@pytest.mark.parametrize("words", ["river", "WWWWWWWWWWWW", "bank"])
def test_labels_keep_off_each_other_on_a_phone(visitor: Visitor, app_url: str, words: str) -> None:
    long = [f"{words}{n:x}".rjust(12, "m")[-12:] for n in range(12)]
    visitor.visit(f"{app_url}/arrows?sentence=own&words={quote(' '.join(long))}&focus=1")
    page = visitor.page
    choice, x, y = fields(page, ASK)
    for n in range(12):
        choice.select_option(index=n + 1)
        x.fill(str(round(1 + n % 4 * 0.3, 1)))
        y.fill(str(round(1 - n // 4 * 0.4, 1)))
    page.wait_for_timeout(800)
    for canvas in (ASK, VALUES):
        svg = page.locator(f".st-key-{canvas} svg").first
        boxes = svg.locator(".al-canvas-arrow text").evaluate_all(BOXES)
        edge = svg.bounding_box()
        assert edge is not None
        assert boxes
        for i, (name, left, top, right, bottom) in enumerate(boxes):
            assert left >= edge["x"] - 1
            assert right <= edge["x"] + edge["width"] + 1, name
            for other, l2, t2, r2, b2 in boxes[:i]:
                assert right <= l2 or r2 <= left or bottom <= t2 or b2 <= top, (name, other)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_two_words_with_the_same_vector_share_a_label_and_can_both_be_moved(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows?sentence=own&words=river%20sea%20bank")
    page = visitor.page
    assert tip(page, "key of river") == tip(page, "key of sea")
    texts = page.locator(f".st-key-{ASK} .al-canvas-key text")
    assert "river · sea" in texts.all_text_contents()
    choice, x, _ = fields(page, ASK)
    for name, other in (("river", "sea"), ("sea", "river")):
        choice.select_option(label=f"key of {name}")  # the one that is chosen is the one that is taken
        drag(page, ASK, f"key of {name}", 1, 1)
        near(page, f"key of {name}", 1, 1)
        assert tip(page, f"key of {other}") == (2, 0)
        page.get_by_role("button", name=BADGE).click()
        near(page, f"key of {name}", 2, 0, 0.001)
    choice.select_option(label="key of sea")
    x.fill("1")
    near(page, "key of sea", 1, 0, 0.001)
    assert tip(page, "key of river") == (2, 0)
    expect(texts.filter(has_text="·")).to_have_count(0)


def test_a_query_of_length_zero(lab: Page) -> None:
    _, x, y = fields(lab, ASK)
    x.fill("0")
    y.fill("0")
    expect(weight(lab, "river")).to_have_text("0.17")
    x.blur()
    expect(lab.locator(".al-ledger").last).to_contain_text("none")


def test_the_causal_mask_hides_pie_from_apple_and_says_why(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows?sentence=apple-pie&mask=causal")
    expect(visitor.page.get_by_text("the causal mask hides later words")).to_be_visible()
    expect(weight(visitor.page, "pie")).to_have_text("0.00")


def test_a_wide_head_unscaled_is_one_hot(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows?d_k=64&scale=false")
    page = visitor.page
    expect(weight(page, "river")).to_have_text("1.00")
    _, x, _ = fields(page, ASK)
    x.fill("1000")
    expect(row(page, "river").locator("td").nth(1)).to_have_text("11313.71")
    expect(page.get_by_test_id("stMain")).not_to_contain_text(re.compile(r"nan|inf\b|NaN"))
