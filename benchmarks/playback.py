"""Measures how chapter 7's run plays in a real browser; `python -m benchmarks.training` prints it with the rest."""

import json

from attention_ui.pictures import learning
from attention_ui.show import payload
from benchmarks.pages import browser
from benchmarks.server import serve

PLAY_MS = 4_000

# Counts updates of the loss curve, and frames in which a chart is gone or empty; notes when the last one came.
_WATCH = """() => {
  const charts = [...document.querySelectorAll(".al-plot-chart")];
  const watch = (window.playback = { updates: 0, missing: 0, last: 0 });
  for (const chart of charts) {
    chart.on("plotly_restyle", () => {
      if (chart === charts[0]) watch.updates += 1;
      watch.last = performance.now();
    });
  }
  const gone = (chart) => !chart.isConnected || !chart.querySelector(".main-svg .cartesianlayer path");
  const look = () => {
    if (charts.some(gone)) watch.missing += 1;
    requestAnimationFrame(look);
  };
  look();
}"""

_PAUSE = """async () => {
  const pressed = performance.now();
  [...document.querySelectorAll(".al-player button")].find((button) => button.textContent === "pause").click();
  await new Promise((done) => setTimeout(done, 600));
  return Math.max(0, window.playback.last - pressed);
}"""


def playback() -> dict[str, float | None]:
    """Updates a second while the run plays, frames with a picture missing, ms until a pause is still, and bytes."""
    with browser() as chromium, serve() as server:
        page = chromium.new_page(viewport={"width": 1280, "height": 1100})
        page.goto(f"{server.url}/learning")
        page.wait_for_selector(".al-player")
        page.wait_for_function(
            "document.querySelectorAll('.al-plot-chart.js-plotly-plot .main-svg').length >= 6", timeout=60_000
        )
        page.evaluate(_WATCH)
        page.get_by_role("button", name="start").click()
        page.wait_for_timeout(PLAY_MS)
        updates = page.evaluate("window.playback.updates")
        pause = page.evaluate(_PAUSE)
        missing = page.evaluate("window.playback.missing")
    run = payload(learning.lookup_run, (0, 300, ((0, 0.1),), False), "light")
    return {
        "playback_updates_per_s": updates / (PLAY_MS / 1000),
        "playback_missing_frames": missing,
        "pause_ms": round(pause, 1),
        "run_bytes": len(json.dumps(run)),
    }
