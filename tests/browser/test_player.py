"""Recorded runs: one playhead that plays, pauses, steps and scrubs, and a rate that counts from where it stands."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from attention_ui.pictures import learning
from attention_ui.show import Picture, payload


def opened(page: Page, url: str) -> Page:
    page.goto(url)
    expect(page.locator(".al-player")).to_be_visible()
    expect(page.locator(".al-plot .js-plotly-plot").first).to_be_visible()
    return page


def step(page: Page) -> int:
    found = re.match(r"step (\d+) of", page.locator(".al-player output").first.inner_text())
    assert found
    return int(found[1])


def test_a_run_plays_and_pauses_at_once(quiet_page: Page, app_url: str) -> None:
    page = opened(quiet_page, f"{app_url}/learning")
    chart = page.locator(".js-plotly-plot").first.element_handle()
    page.get_by_role("button", name="start").click()
    page.wait_for_function("document.querySelector('.al-player output').textContent >= 'step 1'")
    page.wait_for_function(
        "Number(/step (\\d+)/.exec(document.querySelector('.al-player output').textContent)[1]) > 12"
    )
    page.get_by_role("button", name="pause").click()
    page.wait_for_timeout(150)
    still = step(page)
    page.wait_for_timeout(500)
    assert step(page) == still
    assert page.locator(".js-plotly-plot").first.element_handle().evaluate("(a, b) => a === b", chart)
    drawn = page.evaluate("document.querySelector('.js-plotly-plot').data[1].y.length")
    assert drawn == still + 1


def test_steps_scrubbing_and_reset(quiet_page: Page, app_url: str) -> None:
    page = opened(quiet_page, f"{app_url}/learning")
    page.get_by_role("button", name="one step on").click()
    page.get_by_role("button", name="ten steps on").click()
    assert step(page) == 11
    page.get_by_role("slider", name="step of the run").fill("100")
    assert step(page) == 100
    expect(page.locator(".al-plot-caption").first).to_contain_text("Step 100")
    first = page.evaluate("document.querySelectorAll('.js-plotly-plot')[1].data[0].z[0][2]")
    page.get_by_role("button", name="reset").click()
    assert step(page) == 0
    page.wait_for_function(f"document.querySelectorAll('.js-plotly-plot')[1].data[0].z[0][2] < {first}")


def test_a_changed_rate_counts_from_the_playhead(quiet_page: Page, app_url: str) -> None:
    page = opened(quiet_page, f"{app_url}/learning")
    curve = "document.querySelector('.js-plotly-plot')._fullData[0].y"
    before = page.evaluate(f"Array.from({curve})")
    page.get_by_role("slider", name="step of the run").fill("40")
    rate = page.locator(".al-player label input")
    rate.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(f"{curve}[60] < {before[60]}")
    after = page.evaluate(f"Array.from({curve})")
    assert after[:41] == pytest.approx(before[:41])
    assert step(page) == 40


def test_a_run_that_diverges_says_so_and_keeps_its_last_good_state(quiet_page: Page, app_url: str) -> None:
    page = opened(quiet_page, f"{app_url}/learning")
    page.locator(".al-player label input").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_test_id("stAlert")).to_contain_text("broke off at step")
    assert page.evaluate("document.querySelector('.js-plotly-plot')._fullData[0].y.every(Number.isFinite)")
    page.get_by_role("button", name="reset").click()
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


def test_two_heads_play_under_one_playhead(quiet_page: Page, app_url: str) -> None:
    page = opened(quiet_page, f"{app_url}/two-heads")
    page.get_by_role("slider", name="step of the run").fill("400")
    expect(page.locator(".al-plot-caption").first).to_contain_text("Step 400")
    lengths = "[2, 3].map((t) => document.querySelector('.js-plotly-plot').data[t].y.length)"
    page.wait_for_function(f"{lengths}.every((n) => n === 401)")


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (learning.lookup_run, (0, 6000, ((0, 0.1),), False)),
        (learning.two_heads_run, (0, 4000, ((0, 0.05),), "concat", True)),
    ],
)
def test_the_longest_run_fits_in_a_megabyte(make: Callable[..., Picture], arguments: tuple[object, ...]) -> None:
    assert len(json.dumps(payload(make, arguments, "light"))) <= 1_000_000
