"""Everyone can use it: each page, opened once, with axe, by keyboard, on narrow screens, without motion or network."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from benchmarks.visitor import Visitor
from tests.browser.conftest import quiet
from tests.browser.test_frame import CHAPTERS, TOO_WIDE, grounds
from tests.cases import THEMES

DESK = {"width": 1280, "height": 720}
NARROW = (683, 320)  # a projector of 1,024 pixels at 150 % and a small phone; test_frame.py has the usual one
# What axe may report but for colours is the same in both themes.
AXE: dict[str, dict[str, list[str]]] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]},
}

# Shown and usable. A group of radio buttons is one stop; a hidden input counts where its label is shown.
CONTROLS = """
window.controls = () => [...document.querySelectorAll(
  "input, button, select, textarea, summary, a[href], [tabindex='0'], [role=radio], [role=switch], [role=slider]")]
  .map((e) => e.closest("[role=radiogroup]") ?? e)
  .filter((e, i, all) => all.indexOf(e) === i && !e.disabled && (e.tabIndex >= 0 || e.role === "radiogroup")
    && e.checkVisibility({ visibilityProperty: true })
    && [e, e.closest("label")].some((shown) => shown?.getBoundingClientRect().width > 1));
window.told = (e) => `${e.tagName} ${e.className.baseVal ?? e.className} ` +
  `${e.getAttribute("aria-label") ?? e.textContent}`.slice(0, 60);
"""
# How the focused element, what is in it and what is round it look, as far as they can be seen.
FOCUS = """
window.seen = (e) => {
  let shown = 1;
  for (let at = e; at; at = at.parentElement) shown *= getComputedStyle(at).opacity;
  if (shown < 0.5) return "";
  const round = [e.parentElement, e.parentElement?.parentElement, e.closest("label")].filter(Boolean);
  const inside = [...e.querySelectorAll("*")].slice(0, 20);
  return [e, ...inside, ...round, ...round.flatMap((r) => [...r.children])].filter((part) => {
    const { width, height } = part.getBoundingClientRect();
    return width > 3 && height > 3;
  }).map((part) => {
    const s = getComputedStyle(part);
    const outline = s.outlineStyle === "none" ? "" : s.outlineStyle + s.outlineWidth + s.outlineColor;
    return [outline, s.boxShadow, s.borderColor, s.backgroundColor, s.stroke, s.strokeWidth].join();
  }).join("\\n");
};
window.reached = new Set();
window.next = () => {
  const e = document.activeElement;
  const last = window.before?.e !== document.body && window.before?.e.isConnected ? window.before : null;
  const unseen = last && last.look === seen(last.e) ? told(last.e) : null;
  const over = e !== document.body && reached.has(e); // round once, by way of the browser's own window
  reached.add(e).add(e.closest("[role=radiogroup]"));
  window.before = { e, look: seen(e) };
  return { over, unseen };
};
"""
MOVING = """
() => [...document.querySelectorAll("body *")].filter((e) => !e.matches(".al-plot") &&
    [getComputedStyle(e).transitionDuration, getComputedStyle(e).animationName].some((s) => !/^(0s|none)$/.test(s)))
  .map(told).concat(document.getAnimations().map((moving) => told(moving.effect.target)))
"""
# Whatever is drawn, large enough to be a picture, and neither named nor part of something that is.
NAMELESS = """
() => [...document.querySelectorAll(".stMain :is(svg, canvas, img)")].filter((e) =>
  e.getBoundingClientRect().width > 60 && !e.closest("[aria-hidden=true]") &&
  !e.getAttribute("aria-label") && !e.getAttribute("alt")).map(told)
"""

# Numbers in cells that stand out less than 4.5 : 1 from the very pixels that they stand on.
FAINT = """
async () => {
  const luminance = (rgb) => rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0.05);
  const faint = [];
  let read = 0;
  for (const cells of document.querySelectorAll(".heatmaplayer .hm:has(.heatmap-label)")) {
    const image = cells.querySelector("image");
    const picture = new Image();
    picture.src = image.getAttribute("href") ?? image.getAttribute("xlink:href");
    await picture.decode();
    const sheet = new OffscreenCanvas(picture.width, picture.height).getContext("2d", { willReadFrequently: true });
    sheet.drawImage(picture, 0, 0);
    for (const text of cells.querySelectorAll(".heatmap-label text")) {
      const [x, y] = ["x", "y"].map((name) => Math.round(text.getAttribute(name) - image.getAttribute(name)));
      const cell = luminance([...sheet.getImageData(x, y, 1, 1).data].slice(0, 3));
      const ink = luminance(getComputedStyle(text).fill.match(/\\d+/g).map(Number));
      read += 1;
      if (Math.max(ink, cell) / Math.min(ink, cell) < 4.5) faint.push(text.textContent);
    }
  }
  return { faint, read };
}
"""


@pytest.fixture(scope="module")
def reader(browser: Browser, app_url: str) -> Iterator[Visitor]:
    """Someone who goes from page to page and has asked for less motion."""
    context = browser.new_context(reduced_motion="reduce", viewport=DESK)  # type: ignore[arg-type]
    page = context.new_page()
    page.add_init_script(CONTROLS + FOCUS)
    with quiet(page):
        yield Visitor(page)
    context.close()


@pytest.fixture(scope="module", params=CHAPTERS)
def page(request: pytest.FixtureRequest, reader: Visitor, app_url: str) -> Page:
    """Each page once, as the test before has left it."""
    reader.page.emulate_media(color_scheme="light")
    reader.visit(f"{app_url}/{request.param}?heads=8&mask=causal")
    return reader.page


def serious(page: Page, theme: str = "light") -> list[str]:
    """What axe finds that is serious or critical; in the dark, by colours alone."""
    rules: list[dict[str, Any]] = Axe().run(page, options=AXE[theme]).response["violations"]
    return [
        f"{rule['id']}: {node['failureSummary']} {node['html']}"
        for rule in rules
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"]
    ]


def test_nothing_moves_for_who_wants_no_motion(page: Page) -> None:
    assert page.evaluate(MOVING) == []
    for step in page.locator(".al-player > output").all():
        assert step.inner_text().startswith("step 0 ")  # the player waits to be started


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_serious_and_cells_can_be_read(page: Page, reader: Visitor, theme: str) -> None:
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    grounds(page, theme)
    panel = {"light": "table", "dark": "program"}[theme]  # both are looked into once
    for button in page.locator(f".al-plot [data-panel={panel}]").all()[:1]:
        button.click()
    assert serious(page, theme) == []
    for button in page.get_by_role("button", name="one step on").all():
        button.click()  # a run's maps as they move
        page.wait_for_timeout(500)  # then Python is told, and the page runs
        reader.settle()
    cells = page.evaluate(FAINT)
    assert cells["faint"] == []
    assert (cells["read"] > 0) == (page.locator(".heatmap-label").count() > 0)


def test_every_picture_has_its_text_twin(page: Page) -> None:
    assert page.evaluate(NAMELESS) == []
    for picture in page.locator(".al-plot").all():
        images = picture.get_by_role("img")
        assert images.count() == picture.locator(".al-plot-chart").count()
        names = images.evaluate_all("(all) => all.map((e) => e.getAttribute('aria-label'))")
        title = picture.get_attribute("aria-label")
        assert [name for name in names if len(name.split()) < 3 or name == title] == []
        button = picture.get_by_role("button", name="table", exact=True)
        if button.get_attribute("aria-expanded") != "true":
            button.press("Enter")
        assert picture.get_by_role("table").get_by_role("columnheader").count() > 1
        assert re.search(r"\d", picture.get_by_role("table").locator("tbody").inner_text())
    for canvas in page.locator(".al-canvas").all():
        assert canvas.get_by_role("group").get_attribute("aria-label")
        expect(canvas.get_by_role("combobox", name="Arrow to move")).to_be_visible()


def test_everything_is_reached_by_keyboard_alone_and_seen_to_be(page: Page) -> None:
    controls = page.evaluate("controls().length")
    unseen = []
    for _ in range(controls + 20):
        page.keyboard.press("Tab")
        stop = page.evaluate("next()")
        unseen += [stop["unseen"]] if stop["unseen"] else []
        if stop["over"]:
            break
    else:
        pytest.fail(f"a trap at {page.evaluate('told(document.activeElement)')}")
    assert page.evaluate("controls().filter((e) => !reached.has(e)).map(told)") == []
    assert unseen == []


# Rows of choices, each with what it says, that hide some of their choices.
CUT_ROWS = """
() => [...document.querySelectorAll('.stMain [role="radiogroup"]')]
  .filter((row) => row.scrollWidth > row.clientWidth + 1).map((row) => row.innerText)
"""


# Names along a picture's edge that Plotly hides, since they would leave the picture, and links that are cut.
LOST_TICKS = """
() => [...document.querySelectorAll(".al-plot :is(.xtick, .ytick) text")]
  .filter((tick) => tick.textContent && getComputedStyle(tick).display === "none").map((tick) => tick.textContent)
"""
CUT_LINKS = """
() => [...document.querySelectorAll('[data-testid="stPageLink-NavLink"]')].filter((link) =>
  [link, ...link.querySelectorAll("*")].some((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth)
).map((link) => link.innerText)
"""


def test_nothing_is_cut_or_scrolls_sideways(page: Page, reader: Visitor) -> None:
    for width in NARROW:
        page.set_viewport_size({"width": width, "height": 844})
        reader.settle()
        assert page.evaluate(TOO_WIDE) == [], width
        assert page.evaluate(CUT_ROWS) == [], width
        assert page.evaluate(LOST_TICKS) == [], width
        assert page.evaluate(CUT_LINKS) == [], width
    page.set_viewport_size(DESK)  # type: ignore[arg-type]


def test_no_other_host_can_be_reached(browser: Browser, app_url: str) -> None:
    """All browser tests run like this; here another name of this very machine stands for the others."""
    page = browser.new_page()
    page.goto(f"{app_url}/_stcore/health")
    ask = "(url) => fetch(url, { mode: 'no-cors' }).then(() => 'answer', () => 'none')"
    assert page.evaluate(ask, page.url) == "answer"
    assert page.evaluate(ask, page.url.replace("127.0.0.1", "localhost")) == "none"
    page.close()
