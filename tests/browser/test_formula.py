"""The formula lights up the parts of the pictures that its symbols name."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.visitor import Visitor

LIT, DIM = re.compile("al-plot-lit"), re.compile("al-plot-dim")


def symbol(page: Page, text: str) -> Locator:
    """A button of the formula."""
    return page.locator(".al-formula").get_by_role("button", name=text, exact=True)


def expect_values_lit(page: Page) -> None:
    """The plane of values is lit, its blend steps back, and so do the pictures without values."""
    plane = page.locator("[data-picture=value_plane] .al-plot-chart")
    expect(plane).to_have_class(LIT)
    expect(page.locator("[data-picture=weight_grid] .al-plot-chart")).to_have_class(DIM)
    expect(plane.locator(".trace").last).to_have_css("opacity", "0.12")
    expect(plane.locator(".trace").first).to_have_css("opacity", "1")
    expect(page.locator(".al-formula-says")).to_contain_text("the values")


def expect_nothing_lit(page: Page) -> None:
    """All is as before."""
    expect(page.locator(".al-plot-lit, .al-plot-dim, .al-plot-faded")).to_have_count(0)


def test_by_mouse(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    page = visitor.page
    symbol(page, "V").hover()
    expect_values_lit(page)
    page.get_by_role("heading", level=1).hover()
    expect_nothing_lit(page)


def test_by_keyboard(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    page = visitor.page
    symbol(page, "softmax").focus()
    for _ in range(4):
        page.keyboard.press("Tab")
    expect(symbol(page, "V")).to_be_focused()
    expect_values_lit(page)
    page.keyboard.press("Tab")
    expect_nothing_lit(page)
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(symbol(page, "V")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Tab")
    expect_values_lit(page)


@pytest.mark.browser_context_args(has_touch=True, viewport={"width": 390, "height": 844})
def test_by_touch_and_across_a_redraw(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    page = visitor.page
    symbol(page, "V").tap()
    expect_values_lit(page)
    with visitor.answered():
        page.locator(".st-key-pick").get_by_role("radio", name="apple-pie").tap()
    expect(page.get_by_test_id("stMain")).to_contain_text("How does apple find out")
    expect_values_lit(page)
    symbol(page, "V").tap()
    expect_nothing_lit(page)
