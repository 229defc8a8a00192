"""What dragging an arrow of chapter 3 costs: `python -m benchmarks.drag` prints one JSON object on its last line.

A real Chromium's mouse turns the query of *bank*, first in single moves, each watched until everything has come to
rest, then in one go at 60 moves a second. All times are the browser's own.

median_ms, p95_ms      single moves: from the pointer to the last new number in any of the linked pictures
updates_per_s          in one go: how often the weight grid shows new numbers
arrow_fps              in one go: frames a second in which the arrow has moved
missing_frames         frames of both in which a linked picture was missing or empty
server_cpu_ms          CPU time of the server's process for one update, in one go
baseline_median_ms     the same for `benchmarks/baseline_arrows.py`, the same pictures with st.plotly_chart
baseline_missing_frames
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass
from math import cos, pi, sin
from statistics import median, quantiles
from typing import Any

from playwright.sync_api import Browser, Page

from benchmarks.pages import browser, cpu_milliseconds
from benchmarks.server import Server, serve
from benchmarks.visitor import Visitor

# Everything that follows a dragged query, and what each says: numbers as text, arrows as the places of their tips.
LINKED = """
window.linked = () => {
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const lines = (root) => all(root, "path").map((path) => path.getAttribute("d")).join();
  const name = (part) => /st-key-(\\w+)/.exec(part.closest('[class*="st-key-"]').className)[1];
  const tables = all(document, '[data-testid="stHtml"]').filter((part) => part.querySelector(".al-ledger, .al-sum"));
  const drawn = ".heatmaplayer image, .annotation";
  const charts = all(document, ".js-plotly-plot").filter((part) => part.querySelector(drawn));
  const blends = all(document, ".al-canvas-output .head").filter((part) => part.closest("g").style.display !== "none");
  return new Map([
    ...tables.map((part, i) => [`table ${i}`, part.textContent]),
    ...charts.map((part) => [name(part), part.textContent + lines(part)]),
    ...blends.map((part) => [name(part), part.getAttribute("d")]),
  ]);
};
window.tip = () => document.querySelector('[aria-label^="query of bank"] .head')?.getAttribute("d");
window.watchDrag = () => {
  const drag = (window.drag = { pictures: window.linked().size, missing: 0, frames: 0 });
  drag.begin = () => {
    Object.assign(drag, { now: window.linked(), start: 0, last: 0, changed: new Set() });
    Object.assign(drag, { since: performance.now(), moved: 0, updates: 0, tip: window.tip() });
  };
  drag.begin();
  document.addEventListener("pointermove", (event) => (drag.start ||= event.timeStamp), { capture: true });
  new MutationObserver(() => {
    for (const [name, said] of window.linked()) {
      if (said === drag.now.get(name)) continue;
      drag.now.set(name, said);
      drag.last = performance.now();
      drag.changed.add(name);
      drag.updates += /weight/.test(name);
    }
  }).observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  const frame = () => {
    const found = window.linked();
    drag.frames += 1;
    drag.missing += found.size < drag.pictures || [...found.values()].some((said) => !said);
    const tip = window.tip();
    if (tip !== drag.tip) drag.moved += 1;
    drag.tip = tip;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
};
"""
RESTED = "() => drag.changed.size === drag.pictures && performance.now() - drag.last > 250"


@dataclass(frozen=True)
class Drag:
    """What a visitor saw of a drag: single moves in ms, then rates, frames and the server's CPU time in ms."""

    moves: list[float]
    updates_per_s: float
    arrow_fps: float
    missing: int
    cpu_ms: float


def measure(short: bool = False) -> dict[str, Any]:
    """Measure chapter 3, and the baseline beside it."""
    with browser() as chromium:
        with serve() as server:
            seen = drag(chromium, server, "arrows", short)
        with serve("benchmarks/baseline_app.py") as server:
            baseline = drag(chromium, server, "", short)
    return {
        "median_ms": round(median(seen.moves), 1),
        "p95_ms": round(quantiles(seen.moves, n=20)[-1], 1),
        "updates_per_s": round(seen.updates_per_s, 1),
        "arrow_fps": round(seen.arrow_fps, 1),
        "missing_frames": seen.missing,
        "server_cpu_ms": round(seen.cpu_ms, 1),
        "baseline_median_ms": round(median(baseline.moves), 1),
        "baseline_missing_frames": baseline.missing,
    }


def drag(chromium: Browser, server: Server, path: str, short: bool) -> Drag:
    """Turn the query round and watch."""
    page = chromium.new_page(viewport={"width": 1280, "height": 1000})
    page.add_init_script(LINKED)
    visitor = Visitor(page)
    visitor.visit(f"{server.url}/{path}")
    hand = Hand(page)
    page.evaluate("watchDrag()")
    moves = []
    for _ in range(8 if short else 40):
        page.evaluate("drag.begin()")
        hand.turn(9)
        page.wait_for_function(RESTED)
        moves.append(page.evaluate("drag.last - drag.start"))
    moves = moves[2:]  # the first ones find cold code
    page.evaluate("drag.begin()")
    runs, used, started = visitor.runs, cpu_milliseconds(server), time.monotonic()
    while time.monotonic() - started < (2 if short else 6):
        hand.turn(3)
        time.sleep(max(0.0, 1 / 60 - (time.monotonic() - started) % (1 / 60)))
    found = page.evaluate("({...drag, now: null, changed: null, seconds: (performance.now() - drag.since) / 1000})")
    used = cpu_milliseconds(server) - used
    page.wait_for_timeout(50)  # lets messages in
    updates = visitor.runs - runs
    page.close()
    return Drag(
        moves,
        found["updates"] / found["seconds"],
        found["moved"] / found["seconds"],
        found["missing"],
        used / max(1, updates),
    )


class Hand:
    """A mouse that holds the query of *bank* and swings it between two angles at which every move changes numbers."""

    def __init__(self, page: Page) -> None:
        plane = page.locator(".st-key-arrows_ask svg").first
        plane.scroll_into_view_if_needed()
        box, tip = plane.bounding_box(), page.locator('[aria-label^="query of bank"] .target').bounding_box()
        assert box is not None
        assert tip is not None
        self.mouse = page.context.new_cdp_session(page)  # Playwright's own looks for drag and drop at every move
        self.x, self.y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.length = abs(tip["x"] + tip["width"] / 2 - self.x) * 2**0.5  # it starts at 45 degrees
        self.degrees, self.sense = 45.0, 1
        self.turn(0, "mousePressed")

    def turn(self, degrees: float, kind: str = "mouseMoved") -> None:
        """Turn it by so many degrees, back and forth."""
        if not 10 < self.degrees + self.sense * degrees < 80:
            self.sense = -self.sense
        self.degrees += self.sense * degrees
        angle = self.degrees * pi / 180
        x, y = self.x + self.length * cos(angle), self.y - self.length * sin(angle)
        event = {"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}
        self.mouse.send("Input.dispatchMouseEvent", event)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drag", description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="fewer moves")
    print(json.dumps(measure(parser.parse_args(sys.argv[1:]).short)))
