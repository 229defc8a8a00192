"""A challenge from the list to the tick, in one tab: opened, dragged, solved, and on to the next."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from attention_ui.challenges import named
from benchmarks.visitor import Visitor
from tests.browser.arrows import ASK, arrow, drag


@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844})
def test_a_drag_solves_a_challenge_and_the_link_keeps_it(visitor: Visitor, app_url: str) -> None:
    page, river = visitor.page, named("river")
    assert river is not None
    page.goto(f"{app_url}/challenges?solved=pie")
    page.locator(f".al-challenges a[href^='arrows?challenge={river.id}']").click()
    banner = page.locator(".al-challenge")
    expect(banner).to_contain_text("77 %")
    expect(arrow(page, "query of bank")).to_be_visible()
    visitor.settle()
    drag(page, ASK, "query of bank", 4, 2, release=False)
    expect(page.locator(".al-ledger").first).to_contain_text("8.00")  # the page follows the held arrow
    expect(banner).to_contain_text("77 %")  # the verdict waits for its end
    page.mouse.up()
    expect(banner).to_contain_text("Solved.")
    expect(banner).to_contain_text("93 %")
    page.wait_for_url("**solved=river-pie**")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    banner.get_by_role("link", name="Next challenge").click()
    expect(banner).to_contain_text("Challenge 4")
    banner.get_by_role("link", name="2 of 10 solved").click()
    expect(page.get_by_role("img", name="solved", exact=True)).to_have_count(2)
    assert parse_qs(urlsplit(page.url).query) == {"solved": ["river-pie"]}
    page.get_by_role("link", name="Start over").click()
    expect(page.get_by_role("img", name="solved", exact=True)).to_have_count(0)
    assert len(page.context.pages) == 1
