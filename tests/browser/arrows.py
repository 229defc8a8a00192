"""What a visitor finds and does on a plane of arrows."""

import time
from math import hypot

from playwright.sync_api import Locator, Page

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
