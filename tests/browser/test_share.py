"""Sharing as people do it: drag, copy the link, open it elsewhere; scan the code; present by clicker."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.visitor import Visitor
from tests.browser.test_everyone import serious
from tests.cases import THEMES

# Parts of the page that hold pictures and are in sight; a part is one picture or one row of them.
SHOWN = """[...document.querySelectorAll('.stMainBlockContainer > [data-testid="stVerticalBlock"] > *')].filter(
  (part) => part.clientHeight && part.querySelector(".al-plot, .al-canvas")).length"""


def tips(page: Page) -> list[str]:
    """Where the arrow chosen on each canvas points."""
    return [field.input_value() for field in page.locator(".al-canvas input[type=number]").all()]


def grab_query(page: Page) -> tuple[float, float]:
    """Take the query's tip, and return where it is."""
    handle = page.locator(".al-canvas-query .target").first
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y


def drag_query(page: Page, dx: int, dy: int) -> None:
    """Drag the query's tip, and let go of it."""
    x, y = grab_query(page)
    page.mouse.move(x + dx, y + dy, steps=10)
    page.wait_for_timeout(500)
    assert "view=" not in page.evaluate("location.search")  # never while dragging
    page.mouse.up()
    page.wait_for_function("location.search.includes('view=')")


def shared_address(page: Page) -> str:
    """The address that the share dialog shows."""
    page.get_by_role("button", name="Share", exact=True).click()
    field = page.get_by_label("The link", exact=True)
    field.wait_for()
    return field.input_value()


def test_a_dragged_arrow_travels_in_the_link_and_the_phone_shows_it(
    app_url: str, quiet_page: Page, browser: Browser
) -> None:
    page = quiet_page
    visitor = Visitor(page)
    visitor.visit(f"{app_url}/arrows")
    drag_query(page, 40, 25)
    visitor.settle()
    address = shared_address(page)
    assert address == page.evaluate("location.href")
    modules = page.locator(".al-share-code path").get_attribute("d")
    assert modules
    assert modules.count("M") > 200  # a code of some hundred dark modules

    phone = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    Visitor(phone).visit(address)
    assert tips(phone) == tips(page)
    assert phone.evaluate("location.href") == address
    weights = [each.locator(".al-ledger").first.inner_text() for each in (phone, page)]
    assert weights[0] == weights[1]
    phone.context.close()


@pytest.mark.parametrize("secure", [True, False])
def test_one_click_copies_the_link(app_url: str, quiet_page: Page, secure: bool) -> None:
    page = quiet_page
    if secure:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    else:  # plain http from another machine: no clipboard there
        page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    Visitor(page).visit(f"{app_url}/matrix?mask=causal")
    address = shared_address(page)
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    if secure:
        assert page.evaluate("navigator.clipboard.readText()") == address


def test_a_clicker_turns_screens_and_pages(app_url: str, quiet_page: Page) -> None:
    page = quiet_page
    page.goto(f"{app_url}/sentences?present=true")
    place = page.locator(".al-presenter output")
    place.wait_for()
    page.locator(".al-plot[data-drawn]").first.wait_for(state="attached")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    seen = set()
    for _ in range(40):
        if "/sentences" not in page.evaluate("location.pathname"):
            break
        seen.add(place.inner_text())
        assert page.evaluate(SHOWN) <= 1
        page.keyboard.press("PageDown")
        page.wait_for_timeout(250)
    total = int(re.findall(r"\d+", place.inner_text())[1])
    assert total > 1
    assert len(seen) > 2
    page.wait_for_function("location.pathname.endsWith('/caution')")
    assert "present=true" in page.evaluate("location.search")
    expect(place).to_have_text(re.compile("^1 of"))
    page.keyboard.press("PageUp")
    page.wait_for_function("location.pathname.endsWith('/sentences')")
    page.get_by_role("button", name="leave presenter mode").click()
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


def test_a_link_opens_on_a_server_that_has_just_started(fresh_app: Callable[[], str], quiet_page: Page) -> None:
    view = "1-eNqrVkosKsovL47PzS9LLVayio420DHVMdIzBGKD2NhaALepChg"
    Visitor(quiet_page).visit(f"{fresh_app()}/arrows?sentence=river-bank&view={view}")
    assert tips(quiet_page)[:2] == ["2.1", "2"]


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_serious_in_the_dialog_and_in_presenting(app_url: str, quiet_page: Page, theme: str) -> None:
    page = quiet_page
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # type: ignore[arg-type]
    Visitor(page).visit(f"{app_url}/sentences")
    page.get_by_role("button", name="Share", exact=True).click()
    page.get_by_label("The link", exact=True).wait_for()
    assert serious(page) == []
    page.goto(f"{app_url}/sentences?present=true&heads=99")  # with a notice
    page.locator(".al-presenter output").wait_for()
    page.locator(".stMain h1").wait_for()
    assert serious(page) == []
