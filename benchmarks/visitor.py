"""Plays a visitor in a real Chromium: opens pages, turns the sidebar's controls and watches the pictures meanwhile."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

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

# A chart that is on the page and has something drawn in it, whether our component or Streamlit put it there.
DRAWN_CHARTS = """
window.drawnCharts = () => [...document.querySelectorAll(".js-plotly-plot")].filter(
  (chart) => chart.clientWidth &&
    chart.querySelector(".heatmaplayer image, :is(.scatterlayer, .barlayer) path, .annotation")
).length;
"""

# As many charts as the server has sent pictures, and none that waits to be drawn or has just changed.
SETTLED = """
(pictures) => {
  if (!window.lastChange) {
    window.lastChange = performance.now();
    new MutationObserver(() => (window.lastChange = performance.now())).observe(
      document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  }
  const undrawn = document.querySelector(".al-plot:not([data-drawn])");
  return window.drawnCharts() >= pictures && !undrawn && performance.now() - window.lastChange > 150;
}
"""

# From the next click or key on, counts the drawn charts in every frame and notes when a chart last changed.
WATCH = """
() => {
  const watch = (window.watch = { counts: [], start: 0, last: 0, stopped: false, before: window.drawnCharts() });
  const begin = () => (watch.start ||= watch.last = performance.now());
  for (const kind of ["click", "keydown"]) document.addEventListener(kind, begin, { capture: true, once: true });
  const holdsChart = (node) => node.nodeType === 1 && node.querySelector(".js-plotly-plot");
  const observer = new MutationObserver((changes) => {
    const touched = ({ target, addedNodes }) =>
      target.closest(".js-plotly-plot") || [...addedNodes].some(holdsChart);
    if (changes.some(touched)) watch.last = performance.now();
  });
  observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  const frame = () => {
    if (watch.start) watch.counts.push(window.drawnCharts());
    if (watch.stopped) observer.disconnect();
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
"""
RESTED = "() => performance.now() - watch.last > 250"
REPORT = """
() => {
  watch.stopped = true;
  const pictures = Math.min(watch.before, window.drawnCharts());
  return {
    pictures,
    milliseconds: watch.last - watch.start,
    missing: watch.counts.filter((count) => count < pictures).length,
    frames: watch.counts.length,
  };
}
"""


@dataclass(frozen=True)
class Change:
    """What a visitor saw of one change.

    Parameters
    ----------
    pictures : int
        Charts that stand on the page before and after it.
    milliseconds : float
        From the click to the last change in a chart.
    missing : int
        Frames in which fewer than `pictures` charts were drawn.
    frames : int
        Frames seen in all.
    """

    pictures: int
    milliseconds: float
    missing: int
    frames: int


def find_browser() -> str | None:
    """The path of a Chromium of some kind, CHROMIUM_PATH first."""
    candidates = [os.environ.get("CHROMIUM_PATH"), *map(shutil.which, NAMES), *PLACES]
    return next((path for path in candidates if path and Path(path).is_file()), None)


def flags() -> list[str]:
    """Chromium's flags; its sandbox refuses to start as root, and only then is it left out."""
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*FLAGS, "--no-sandbox"] if as_root else FLAGS


class Visitor:
    """Someone at a page.

    Parameters
    ----------
    page : Page
        A page that has not been opened yet.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.socket: WebSocket | None = None
        self.runs = 0  # of the script, to their end
        self.pictures = 0  # sent by the last run
        page.add_init_script(DRAWN_CHARTS)
        page.on("websocket", self._note_socket)

    def _note_socket(self, socket: WebSocket) -> None:
        self.socket = socket
        socket.on("framereceived", self._note_message)

    def _note_message(self, payload: str | bytes) -> None:
        message = ForwardMsg.FromString(payload) if isinstance(payload, bytes) else ForwardMsg()
        element = message.delta.new_element
        if message.HasField("new_session"):
            self.pictures = 0
        self.pictures += element.bidi_component.component_name.endswith("plot") or element.HasField("plotly_chart")
        self.runs += message.HasField("script_finished")

    def visit(self, url: str) -> None:
        """Open an address and wait until all of it is there."""
        runs = self.runs
        self.page.goto(url)
        while self.runs == runs:
            self.page.wait_for_timeout(20)  # lets messages in
        self.settle()

    def settle(self) -> None:
        """Wait until the page shows what the server has sent and every picture is drawn."""
        self.page.locator('[data-test-script-state="notRunning"] h1').wait_for()
        self.page.wait_for_function(SETTLED, arg=self.pictures)

    @contextmanager
    def answered(self) -> Iterator[None]:
        """Wait, at the end of the block, until the server has run the script that the block called for."""
        assert self.socket is not None
        with self.socket.expect_event("framereceived", _is_finish):
            yield

    def control(self, name: str) -> Locator:
        """The sidebar's control of that name, which is the setting's name in the URL."""
        sidebar = self.page.get_by_test_id("stSidebar")
        box = sidebar.locator(f".st-key-{name}")
        return box

    def choose(self, name: str, value: object) -> None:
        """Set one of the sidebar's controls, a slider by a key such as ArrowLeft, and wait for the answer."""
        box = self.control(name)
        with self.answered():
            if name == "sentence":
                box.get_by_role("combobox").click()
                self.page.get_by_role("option", name=str(value), exact=True).click()
            elif name == "scale":
                label = box.locator("label").first  # lies over its input, and does nothing where it is out of sight
                _click(label if label.is_visible() else box.locator("input"))
            elif name == "words":
                box.get_by_role("textbox").fill(str(value))
                box.get_by_role("textbox").press("Enter")
            elif name in ("window", "padding"):
                box.get_by_role("slider").press(str(value))
            else:
                _click(box.get_by_role("radio", name=str(value), exact=True, include_hidden=True))

    def watch(self) -> None:
        """Start to watch the pictures."""
        self.page.evaluate(WATCH)

    def seen(self) -> Change:
        """Wait until the charts have come to rest and return what was seen since `watch`."""
        self.page.wait_for_function(RESTED)
        return Change(**self.page.evaluate(REPORT))


def _click(target: Locator) -> None:
    """Click what is there; a control that a page does not use is out of sight, yet works for all pages."""
    if target.is_visible():
        target.click()
    else:
        target.evaluate("(element) => element.click()")


def _is_finish(payload: str | bytes) -> bool:
    """Whether a message of the server says that the script has run to its end."""
    return isinstance(payload, bytes) and ForwardMsg.FromString(payload).HasField("script_finished")
