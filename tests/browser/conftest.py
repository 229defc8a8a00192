"""A real browser and the real app.

`app_url` is the app, shared by all tests; `fresh_app()` starts another one for a cold first visit;
`quiet_page` is a page that fails its test when it logs an error or asks another host for anything;
`visitor` is someone at such a page, `lab` is chapter 3 with one.
Phone width or dark mode:
`@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844}, color_scheme="dark")`.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from benchmarks.server import serve
from benchmarks.visitor import Visitor, find_browser, flags
from tests.browser.arrows import arrow

expect.set_options(timeout=20_000)  # a cold server on a busy machine takes its time

# Opened at /a-page, Streamlit first tries whether /a-page is the folder it is served from, and gets a 404.
BASE_PATH_TRIAL = re.compile(r"http://[^/]+/[^/]+/_stcore/(health|host-config)")

# No name leads anywhere: the app has to do with its own server, as in a hall without Internet.
NO_OTHER_HOST = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The machine's own browser, since none is downloaded."""
    browser = find_browser()
    if browser is None:
        pytest.skip("No Chromium, Chrome or Edge was found; CHROMIUM_PATH can name one.")
    return {**browser_type_launch_args, "executable_path": browser, "args": [*flags(), NO_OTHER_HOST]}


@pytest.fixture(scope="session")
def app_url(browser_type_launch_args: dict[str, Any]) -> Iterator[str]:
    """The address of the app. It asks for the browser first, so that without one no server starts."""
    with serve() as server:
        yield server.url


@pytest.fixture
def fresh_app() -> Iterator[Callable[[], str]]:
    """Starts an app nobody has visited and returns its address."""
    with ExitStack() as servers:
        yield lambda: servers.enter_context(serve()).url


@contextmanager
def quiet(page: Page) -> Iterator[Page]:
    """Fail at the end of the block if the page has logged an error or asked another host for anything."""
    noises: list[str] = []

    def note_message(message: ConsoleMessage) -> None:
        url = message.location["url"]
        if message.type == "error" and not BASE_PATH_TRIAL.fullmatch(url):
            noises.append(f"console: {message.text} ({url})")

    def note_address(url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("data", "blob") and parts.hostname not in ("127.0.0.1", "localhost"):
            noises.append(f"another host: {url}")

    page.on("console", note_message)
    page.on("pageerror", lambda error: noises.append(f"page error: {error}"))
    page.on("request", lambda request: note_address(request.url))
    page.on("websocket", lambda socket: note_address(socket.url))
    yield page
    assert not noises, "\n".join(noises)


@pytest.fixture
def quiet_page(page: Page) -> Iterator[Page]:
    """A page that must log no error and ask no other host for anything."""
    with quiet(page):
        yield page


@pytest.fixture
def visitor(quiet_page: Page) -> Visitor:
    """Someone at a page that has not been opened yet."""
    return Visitor(quiet_page)


@pytest.fixture
def lab(visitor: Visitor, app_url: str) -> Page:
    """Chapter 3 with its defaults."""
    visitor.visit(f"{app_url}/arrows")
    arrow(visitor.page, "query of bank").wait_for()
    return visitor.page
