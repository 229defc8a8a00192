"""A real browser and the real app.

`app_url` is the app, shared by all tests; `fresh_app()` starts another one for a cold first visit;
`quiet_page` is a page that fails its test when it logs an error or asks another host for anything.
Phone width or dark mode:
`@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844}, color_scheme="dark")`.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import ConsoleMessage, Page

from benchmarks.server import serve

FLAGS = [
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge", "microsoft-edge"]
PLACES = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
]
# Opened at /a-page, Streamlit first tries whether /a-page is the folder it is served from, and gets a 404.
BASE_PATH_TRIAL = re.compile(r"http://[^/]+/[^/]+/_stcore/(health|host-config)")


def find_browser() -> str | None:
    """The path of a Chromium of some kind, CHROMIUM_PATH first."""
    candidates = [os.environ.get("CHROMIUM_PATH"), *map(shutil.which, NAMES), *PLACES]
    return next((path for path in candidates if path and Path(path).is_file()), None)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """The machine's own browser, since none is downloaded."""
    browser = find_browser()
    if browser is None:
        reason = "No Chromium, Chrome or Edge was found; CHROMIUM_PATH can name one."
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    # Chromium's sandbox refuses to start as root, and only then is it left out.
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    flags = [*FLAGS, "--no-sandbox"] if as_root else FLAGS
    return {**browser_type_launch_args, "executable_path": browser, "args": flags}


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


@pytest.fixture
def quiet_page(page: Page) -> Iterator[Page]:
    """A page that must log no error and ask no other host for anything."""
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
