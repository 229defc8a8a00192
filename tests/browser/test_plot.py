"""The pictures: redrawn in place, with their numbers in every form, words shown as they are."""

import csv
import gzip
import io
import re
from pathlib import Path
from urllib.parse import quote

import plotly
import pytest
from playwright.sync_api import Dialog, Download, Locator, Page, Response, expect

from benchmarks.visitor import Visitor

CHANGES: list[tuple[str, object]] = [
    ("sentence", "apple-pie"),
    ("focus", 3),
    ("d_k", 64),
    ("scale", False),
    ("mask", "window"),
    ("window", "ArrowLeft"),
    ("mask", "padding"),
    ("padding", "ArrowRight"),
    ("heads", 4),
    ("head", 3),
    ("heads", 1),
    ("sentence", "own"),
    ("words", "the cat saw the dog"),
    ("words", ""),  # says so above the page
    ("words", "the cat saw the dog"),
]
MARK = "(all) => all.forEach((node, i) => (node.mark = i))"
MARKS = "(all) => all.map((node) => node.mark ?? null)"
PLACES = (
    "(all) => all.map((e) => { const box = e.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; })"
)


def picture(page: Page, name: str) -> Locator:
    """The picture of that name, the function's that makes it."""
    return page.locator(f"[data-picture={name}]")


def text_of(download: Download) -> str:
    """What a downloaded file says."""
    return Path(download.path()).read_text("utf-8-sig")


@pytest.mark.parametrize(
    "slug", ["", "matrix", "caution"]
)  # caution takes controls away where there is nothing to trade
def test_every_change_redraws_in_place_without_an_empty_frame(visitor: Visitor, app_url: str, slug: str) -> None:
    visitor.visit(f"{app_url}/{slug}")
    page = visitor.page
    charts, sheets = page.locator(".js-plotly-plot"), page.locator(".js-plotly-plot .main-svg:first-child")
    for name, value in CHANGES:
        before = charts.count()
        charts.evaluate_all(MARK)
        sheets.evaluate_all(MARK)
        visitor.watch()
        visitor.choose(name, value)
        change = visitor.seen()
        assert change.pictures > 0, (name, value)
        assert change.frames > 0, (name, value)
        assert change.missing == 0, (name, value)
        if charts.count() == before:  # heads and sentences may add a chart or take one away
            assert charts.evaluate_all(MARKS) == list(range(before)), (name, value)
            assert sheets.evaluate_all(MARKS) == list(range(before)), (name, value)
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize("slug", ["", "matrix"])
def test_nothing_jumps(visitor: Visitor, app_url: str, slug: str) -> None:
    visitor.visit(f"{app_url}/{slug}?scale=false")
    boxes = visitor.page.locator(".al-plot, .al-plot-chart")
    before = boxes.evaluate_all(PLACES)
    visitor.watch()
    visitor.choose("d_k", 16)
    visitor.seen()
    assert boxes.evaluate_all(PLACES) == before


# Pairs of words in a plane of which one lies on the other, by more than a pixel or two of the boxes' air.
CROSSED = """([plane]) => {
  const words = [...plane.querySelectorAll(".scatterlayer text, .annotation-text")].filter((word) => word.textContent);
  const boxes = words.map((word) => word.getBoundingClientRect());
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  return boxes.flatMap((box, i) => boxes.slice(0, i).flatMap((other, j) =>
    meet(box, other) ? [`${words[i].textContent} on ${words[j].textContent}`] : []));
}"""


@pytest.mark.parametrize("sentence", ["river-bank", "money-bank", "apple-pie", "apple-phone", "keyboard-mouse"])
def test_the_words_of_a_plane_keep_off_each_other(visitor: Visitor, app_url: str, sentence: str) -> None:
    visitor.visit(f"{app_url}/?sentence={sentence}")
    for width in (1280, 390):
        visitor.page.set_viewport_size({"width": width, "height": 900})
        visitor.settle()
        for name in ("query_plane", "value_plane"):
            assert picture(visitor.page, name).evaluate_all(CROSSED) == [], (name, width)


def test_a_plane_fills_its_box_again_when_there_is_room(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    plane = picture(visitor.page, "value_plane").locator(".js-plotly-plot")
    reach = "(chart) => [chart._fullLayout.xaxis.range, chart._fullLayout.yaxis.range].flat().map((x) => x.toFixed(2))"
    before = plane.evaluate(reach)
    for width in (320, 390, 1280):
        visitor.page.set_viewport_size({"width": width, "height": 900})
        visitor.settle()
        visitor.page.wait_for_timeout(300)
    visitor.page.set_viewport_size({"width": 1280, "height": 1000})
    visitor.settle()
    assert plane.evaluate(reach) == before


def test_plotly_travels_once_compressed_and_is_kept(visitor: Visitor, app_url: str) -> None:
    answers: list[Response] = []
    visitor.page.on("response", lambda answer: answers.append(answer))
    visitor.visit(app_url)
    with visitor.answered():
        visitor.page.get_by_test_id("stSidebarNav").get_by_role("link").nth(1).click()
    visitor.settle()
    (answer,) = [each for each in answers if "plotly.min.js" in each.url]
    headers = answer.all_headers()
    assert answer.status == 200
    assert headers["content-encoding"] == "gzip"
    assert int(headers["content-length"]) < 1_600_000
    assert "max-age=31536000" in headers["cache-control"]
    script = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text("utf-8")
    version = re.search(r"plotly\.js v([\d.]+\d)", script)
    assert version is not None
    assert visitor.page.evaluate("Plotly.version") == version[1]


def test_plotly_is_served_plain_to_who_cannot_unpack(visitor: Visitor, app_url: str) -> None:
    ask = visitor.page.request.get
    plain = ask(app_url + "/plotly.min.js", headers={"Accept-Encoding": "identity"})
    packed = ask(app_url + "/plotly.min.js", headers={"Accept-Encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert plain.body() in (packed.body(), gzip.decompress(packed.body()) if packed.body()[:2] == b"\x1f\x8b" else b"")


def test_table_opens_by_keyboard_stays_open_and_shows_new_numbers(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    weights = picture(visitor.page, "weight_grid")
    button = weights.get_by_role("button", name="table", exact=True)
    button.focus()
    visitor.page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    row = weights.get_by_role("row").filter(has=visitor.page.get_by_role("rowheader", name="bank", exact=True))
    expect(row.get_by_role("cell")).to_have_text(["0.05", "0.05", "0.05", "0.05", "0.77", "0.05"])
    visitor.choose("mask", "causal")
    first = weights.get_by_role("row").nth(1)
    expect(first.get_by_role("cell")).to_have_text(["1.00", *["0.00"] * 5])
    button.focus()
    visitor.page.keyboard.press("Enter")
    expect(weights.get_by_role("table")).to_have_count(0)


def test_the_program_opens_and_follows(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    weights = picture(visitor.page, "weight_grid")
    weights.get_by_role("button", name="the numpy for this picture").press("Enter")
    expect(weights.locator("pre")).to_contain_text("d_k, scaled = 2, True")
    visitor.choose("d_k", 16)
    expect(weights.locator("pre")).to_contain_text("d_k, scaled = 16, True")
    weights.get_by_role("button", name="copy").press("Enter")
    expect(weights.get_by_role("button", name="copied")).to_be_visible()


def test_csv_png_and_svg_can_be_downloaded(visitor: Visitor, app_url: str) -> None:
    visitor.visit(app_url)
    page = visitor.page
    weights = picture(page, "weight_grid")
    with page.expect_download() as table:
        weights.get_by_role("button", name="csv").press("Enter")
    assert table.value.suggested_filename == "attention-lab-weight-grid.csv"
    rows = list(csv.reader(io.StringIO(text_of(table.value))))
    assert rows[0][1:] == ["she", "sat", "by", "the", "river", "bank"]
    assert sum(float(cell) for cell in rows[6][1:]) == pytest.approx(1)
    assert float(rows[6][5]) == pytest.approx(0.7718, abs=1e-4)
    weights.hover()
    with page.expect_download() as drawing:
        weights.locator('[data-title*="SVG"]').click()
    assert drawing.value.suggested_filename == "attention-lab-weight-grid.svg"
    assert text_of(drawing.value).startswith("<svg")
    weights.hover()
    with page.expect_download() as image:
        weights.locator('[data-title*="PNG" i]').click()
    assert image.value.suggested_filename == "attention-lab-weight-grid.png"
    assert Path(image.value.path()).read_bytes().startswith(b"\x89PNG")


HOSTILE = "<img/src=x/onerror=alert(1)> <s>x</s> $5 *x* %{x} &amp; a_b `x` [l](u) <img src=x onerror=alert(1)>"


@pytest.mark.parametrize("slug", ["", "matrix"])
@pytest.mark.parametrize("focus", [1, 5])
def test_hostile_words_are_shown_as_they_are_and_nothing_runs(
    visitor: Visitor, app_url: str, slug: str, focus: int
) -> None:
    page = visitor.page
    dialogs: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    visitor.visit(f"{app_url}/{slug}?sentence=own&words={quote(HOSTILE)}&focus={focus}")
    words = HOSTILE.split()
    labels = [word if len(word) <= 12 else word[:11] + "…" for word in words]
    for grid in page.locator(".js-plotly-plot").filter(has=page.locator(".heatmaplayer image")).all():
        ticks = grid.locator(".ytick text").all_text_contents()
        assert sorted(ticks) == sorted(labels)
    for button in page.get_by_role("button", name="table", exact=True).all():
        button.press("Enter")
    heads = page.locator(".al-plot table").get_by_role("rowheader").all_text_contents()
    assert [word for word in words if not any(word in head for head in heads)] == []
    said = page.get_by_test_id("stSidebar").inner_text()
    assert [label for label in labels if label not in said] == []
    question = page.get_by_test_id("stMain").inner_text()
    assert words[focus - 1] in question
    page.locator(".js-plotly-plot").first.hover()
    assert page.locator("img[src=x], .stApp s").evaluate_all("(all) => all.map((e) => e.outerHTML)") == []
    assert dialogs == []
