"""What one change of a setting costs: `python -m benchmarks.pages` prints one JSON object on its last line.

Every change is a click in the sidebar in a real Chromium, so that the server does what it does for a visitor:
parse the browser's own message, run the script, send what changed.

page_change_cpu_ms    CPU time of the server's process for one change, the median over `SETTINGS` after one pass
                      that fills the caches
page_change_ms        from the click to the last change in a picture, the median
missing_frames        frames of all these changes in which a picture was missing or empty
baseline_change_ms    the same two for `benchmarks/baseline.py`, the home page's pictures with st.plotly_chart
baseline_missing_frames
first_visit_bytes     what travels to a browser with an empty cache that opens the home page
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from attention_ui import prose
from benchmarks.server import Server, serve
from benchmarks.visitor import Change, Visitor, find_browser, flags

Step = tuple[str, object]

# One click each; after the last one everything is as it was, and no two of the 20 settings are the same.
_THERE: list[Step] = [("focus", 2), ("d_k", 16), ("scale", False), ("heads", 4)]
_BACK: list[Step] = [("heads", 1), ("scale", True), ("d_k", 2), ("focus", 6)]
SETTINGS: list[Step] = [
    *[*_THERE, ("mask", "causal"), *_BACK, ("mask", "window")],
    *[*_THERE, ("mask", "padding"), *_BACK, ("mask", "none")],
]
SHORT: list[Step] = [("mask", "causal"), ("mask", "none")]


def measure(short: bool = False) -> dict[str, Any]:
    """Measure every page of the navigation, the baseline beside them, and a first visit."""
    steps = SHORT if short else SETTINGS
    with browser() as chromium:
        with serve() as server:
            first_visit = first_visit_bytes(chromium, server)
            slugs = {c.slug: "" if c.slug == prose.HOME else c.slug for c in prose.chapters()}
            pages = {slug: changes(chromium, server, path, steps) for slug, path in slugs.items()}
        with serve("benchmarks/baseline.py") as server:
            _, baseline = changes(chromium, server, "", steps)
    drawn = {slug: seen for slug, (_, seen) in pages.items() if all(change.pictures for change in seen)}
    return {
        "page_change_cpu_ms": {slug: round(median(costs), 1) for slug, (costs, _) in pages.items()},
        "page_change_ms": {slug: milliseconds(seen) for slug, seen in drawn.items()},
        "missing_frames": {slug: missing(seen) for slug, (_, seen) in pages.items()},
        "baseline_change_ms": milliseconds(baseline),
        "baseline_missing_frames": missing(baseline),
        "first_visit_bytes": first_visit,
    }


def milliseconds(changes: Sequence[Change]) -> float:
    """The median time of a change."""
    return round(median(change.milliseconds for change in changes), 1)


def missing(changes: Sequence[Change]) -> int:
    """The frames in which a picture was missing, in all."""
    return sum(change.missing for change in changes)


def changes(browser: Browser, server: Server, path: str, steps: Sequence[Step]) -> tuple[list[float], list[Change]]:
    """Go through the steps twice and return the second pass: server CPU in ms, and what the visitor saw."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    visitor = Visitor(page)
    visitor.visit(f"{server.url}/{path}")
    for step in steps:
        change(visitor, server, step)
    costs, sights = zip(*(change(visitor, server, step) for step in steps), strict=True)
    page.close()
    return list(costs), list(sights)


def change(visitor: Visitor, server: Server, step: Step) -> tuple[float, Change]:
    """Change one setting; the server's CPU counts from the click to the end of its run."""
    visitor.watch()
    before = cpu_milliseconds(server)
    visitor.choose(*step)
    cost = cpu_milliseconds(server) - before
    return cost, visitor.seen()


def cpu_milliseconds(server: Server) -> float:
    """CPU time of the server's process so far, threads that have ended among it.

    Linux makes a clock's number from a process's, see clock_getcpuclockid(3). It counts in nanoseconds; /proc's
    counters are 10 ms wide or lose the script's thread, which ends with its run.
    """
    return 1000 * time.clock_gettime((~server.pid << 3) | 2)


def first_visit_bytes(browser: Browser, server: Server) -> int:
    """Bytes that reach a browser with an empty cache until the home page stands: responses as sent, and messages."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    total = 0

    def add_response(event: dict[str, Any]) -> None:
        nonlocal total
        total += int(event["encodedDataLength"])

    def add_message(event: dict[str, Any]) -> None:
        nonlocal total
        total += len(event["response"]["payloadData"]) * 3 // 4  # binary messages are told in base64

    network.on("Network.loadingFinished", add_response)
    network.on("Network.webSocketFrameReceived", add_message)
    Visitor(page).visit(server.url)
    page.wait_for_load_state("networkidle")
    page.close()
    return total


@contextmanager
def browser() -> Iterator[Browser]:
    """The machine's own Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=flags())
        yield chromium
        chromium.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pages", description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="two settings a page instead of twenty")
    print(json.dumps(measure(parser.parse_args(sys.argv[1:]).short)))
