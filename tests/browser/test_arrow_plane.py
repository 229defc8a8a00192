"""The plane under chapter 3's arrows: its reach, its labels, and what it says at its extremes."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from benchmarks.visitor import Visitor
from tests.browser.arrows import ASK, BADGE, VALUES, drag, fields, near, place, row, tip, weight


def test_the_plane_rescales_after_the_release_never_while_an_arrow_is_held(lab: Page) -> None:
    lab.locator(f".st-key-{ASK} svg").first.scroll_into_view_if_needed()
    ticks = lab.locator(f".st-key-{ASK} .al-canvas-grid text")
    river = place(lab, "key of river")
    before = ticks.all_text_contents()
    drag(lab, ASK, "query of bank", 7, 1, release=False)
    for _ in range(6):
        lab.wait_for_timeout(100)
        assert ticks.all_text_contents() == before
        assert place(lab, "key of river") == pytest.approx(river, abs=0.5)
    lab.mouse.up()
    expect(ticks.first).not_to_have_text(before[0])
    near(lab, "query of bank", 7, 1, 0.2)
    lab.wait_for_timeout(400)
    box = lab.locator(f".st-key-{ASK} svg").first.bounding_box()
    assert box is not None
    x, y = place(lab, "query of bank")
    assert box["x"] < x < box["x"] + box["width"]
    assert box["y"] < y < box["y"] + box["height"]


# The ink of a text is lower than its box.
BOXES = """
(all) => all.filter((e) => e.textContent && getComputedStyle(e).display !== "none").map((e) => {
  const box = e.getBoundingClientRect();
  return [e.textContent, box.left, box.top + 2.5, box.right, box.bottom - 2.5];
})
"""


@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844})
@pytest.mark.parametrize("words", ["river", "WWWWWWWWWWWW", "bank"])
def test_labels_keep_off_each_other_on_a_phone(visitor: Visitor, app_url: str, words: str) -> None:
    long = [f"{words}{n:x}".rjust(12, "m")[-12:] for n in range(12)]
    visitor.visit(f"{app_url}/arrows?sentence=own&words={quote(' '.join(long))}&focus=1")
    page = visitor.page
    choice, x, y = fields(page, ASK)
    for n in range(12):
        choice.select_option(index=n + 1)
        x.fill(str(round(1 + n % 4 * 0.3, 1)))
        y.fill(str(round(1 - n // 4 * 0.4, 1)))
    page.wait_for_timeout(800)
    for canvas in (ASK, VALUES):
        svg = page.locator(f".st-key-{canvas} svg").first
        boxes = svg.locator(".al-canvas-arrow text").evaluate_all(BOXES)
        edge = svg.bounding_box()
        assert edge is not None
        assert boxes
        for i, (name, left, top, right, bottom) in enumerate(boxes):
            assert left >= edge["x"] - 1
            assert right <= edge["x"] + edge["width"] + 1, name
            for other, l2, t2, r2, b2 in boxes[:i]:
                assert right <= l2 or r2 <= left or bottom <= t2 or b2 <= top, (name, other)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_two_words_with_the_same_vector_share_a_label_and_can_both_be_moved(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows?sentence=own&words=river%20sea%20bank")
    page = visitor.page
    assert tip(page, "key of river") == tip(page, "key of sea")
    texts = page.locator(f".st-key-{ASK} .al-canvas-key text")
    assert "river · sea" in texts.all_text_contents()
    choice, x, _ = fields(page, ASK)
    for name, other in (("river", "sea"), ("sea", "river")):
        choice.select_option(label=f"key of {name}")  # the one that is chosen is the one that is taken
        drag(page, ASK, f"key of {name}", 1, 1)
        near(page, f"key of {name}", 1, 1)
        assert tip(page, f"key of {other}") == (2, 0)
        page.get_by_role("button", name=BADGE).click()
        near(page, f"key of {name}", 2, 0, 0.001)
    choice.select_option(label="key of sea")
    x.fill("1")
    near(page, "key of sea", 1, 0, 0.001)
    assert tip(page, "key of river") == (2, 0)
    expect(texts.filter(has_text="·")).to_have_count(0)


def test_a_query_of_length_zero(lab: Page) -> None:
    _, x, y = fields(lab, ASK)
    x.fill("0")
    y.fill("0")
    expect(weight(lab, "river")).to_have_text("0.17")
    x.blur()
    expect(lab.locator(".al-ledger").last).to_contain_text("none")


def test_the_causal_mask_hides_pie_from_apple_and_says_why(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows?sentence=apple-pie&mask=causal")
    expect(visitor.page.get_by_text("the causal mask hides later words")).to_be_visible()
    expect(weight(visitor.page, "pie")).to_have_text("0.00")


def test_a_wide_head_unscaled_is_one_hot(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/arrows?d_k=64&scale=false")
    page = visitor.page
    expect(weight(page, "river")).to_have_text("1.00")
    _, x, _ = fields(page, ASK)
    x.fill("1000")
    expect(row(page, "river").locator("td").nth(1)).to_have_text("11313.71")
    expect(page.get_by_test_id("stMain")).not_to_contain_text(re.compile(r"nan|inf\b|NaN"))
