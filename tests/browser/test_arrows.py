"""Chapter 3's planes: arrows dragged by mouse, touch and keyboard, and what follows from them."""

import os
import re
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import hypot

import pytest
from playwright.sync_api import Page, expect

from benchmarks.server import Server, serve
from benchmarks.visitor import Visitor
from tests.browser.arrows import ASK, BADGE, VALUES, arrow, drag, fields, near, pixels, place, row, tip, weight


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
    grid = lab.locator("[data-picture=weight_grid] .js-plotly-plot")
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
