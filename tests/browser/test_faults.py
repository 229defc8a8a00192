"""What a workshop's network and server do to people: cut off, started anew, opened too early, opened twice."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from time import monotonic

from playwright.sync_api import Browser, Error, Page, WebSocketRoute, expect

from benchmarks.server import HOST, free_port, serve
from benchmarks.visitor import Visitor
from tests.browser.test_share import grab_query, tips

RECONNECTED = 60_000  # milliseconds: the browser tries again at growing intervals

JUDGED = re.compile(r"^(Yes|Not quite)\.")


def connected(page: Page) -> None:
    """Wait until the page has its server again and the answer to its first question."""
    page.locator('[data-test-connection-state="CONNECTED"][data-test-script-state="notRunning"]').wait_for(
        timeout=RECONNECTED
    )


def test_the_server_starts_anew_under_an_open_page_and_a_drag(page: Page) -> None:
    port = free_port()
    visitor = Visitor(page)
    with serve(port=port) as server:
        visitor.visit(f"{server.url}/arrows?mask=causal")
        x, y = grab_query(page)
        page.mouse.move(x + 30, y + 10, steps=5)
        page.mouse.up()
        page.wait_for_function("location.search.includes('view=')")
        visitor.settle()
        before, address = tips(page), page.evaluate("location.href")
        x, y = grab_query(page)
        page.mouse.move(x + 9, y + 9, steps=3)
    page.mouse.move(x - 20, y + 20, steps=3)  # nobody listens, the arrow follows all the same
    with serve(port=port):
        connected(page)
        page.mouse.move(x, y, steps=3)
        page.mouse.up()  # back to where it was
        page.wait_for_timeout(1500)
        visitor.settle()
        assert tips(page) == before
        assert page.evaluate("location.href") == address
        table = page.locator(".al-ledger").first.inner_text()
        visitor.visit(address)
        assert tips(page) == before
        assert page.locator(".al-ledger").first.inner_text() == table


def test_the_server_starts_anew_during_a_training(page: Page) -> None:
    port = free_port()
    visitor = Visitor(page)
    with serve(port=port) as server:
        visitor.visit(f"{server.url}/learning")
        page.get_by_role("button", name="start", exact=True).click()
        page.wait_for_timeout(1000)
    page.wait_for_timeout(3000)
    with serve(port=port):
        connected(page)
        page.get_by_role("button", name="pause", exact=True).click()
        page.get_by_label("step of the run").fill("290")
        page.get_by_label("ten steps on").click()
        page.get_by_label("one step on").click()  # beyond what was computed: the new server goes on
        expect(page.locator(".al-player output").first).to_have_text("step 300 of 600", timeout=20_000)
        page.wait_for_function("location.search.includes('view=')")
        expect(page.locator(".al-player output").first).to_have_text("step 300 of 600")


def test_the_connection_is_cut_for_twenty_seconds(page: Page, app_url: str) -> None:
    cut, routes = [False], list[WebSocketRoute]()

    def route(socket: WebSocketRoute) -> None:
        if cut[0]:
            socket.close()
        else:
            routes.append(socket)
            socket.connect_to_server()

    page.route_web_socket("**/_stcore/stream", route)
    page.goto(f"{app_url}/matrix?mask=causal")
    page.locator(".al-plot[data-drawn]").first.wait_for()
    guess = page.get_by_test_id("stMain").get_by_role("radio").first
    guess.click()
    expect(page.get_by_text(JUDGED)).to_be_visible()
    cut[0] = True
    for socket in routes:
        socket.close()
    page.wait_for_timeout(20_000)
    cut[0] = False
    connected(page)
    expect(page.get_by_text(JUDGED)).to_be_visible()  # the same visit goes on
    assert page.locator(".al-plot[data-drawn]").count() > 1


def test_two_tabs_of_one_person_do_not_disturb_each_other(app_url: str, browser: Browser) -> None:
    person = browser.new_context()
    one, two = (Visitor(person.new_page()) for _ in range(2))
    one.visit(f"{app_url}/arrows?sentence=river-bank")
    two.visit(f"{app_url}/arrows?sentence=apple-pie")
    x, y = grab_query(one.page)
    one.page.mouse.move(x + 30, y, steps=5)
    one.page.mouse.up()
    one.page.wait_for_function("location.search.includes('view=')")
    two.choose("mask", "causal")
    one.settle()
    two.settle()
    assert "mask" not in one.page.evaluate("location.search")
    assert "view" not in two.page.evaluate("location.search")
    assert two.page.get_by_text("apple").count()
    person.close()


def test_a_link_opens_as_soon_as_a_starting_server_answers(page: Page) -> None:
    address = f"http://{HOST}:{(port := free_port())}/matrix?mask=causal&sentence=apple-pie"
    visitor = Visitor(page)
    with ThreadPoolExecutor(1) as beside, ExitStack() as servers:
        starting = beside.submit(lambda: servers.enter_context(serve(port=port)))
        deadline = monotonic() + 60
        while monotonic() < deadline:
            try:
                visitor.visit(address)
                break
            except Error:  # nobody listens yet
                page.wait_for_timeout(20)
        starting.result()
        assert page.url == address
        assert page.locator(".al-plot[data-drawn]").count() > 1
