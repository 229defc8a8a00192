"""Chapter 13 in a browser: the training is played, paused and scrubbed; a change by hand leaves it where it is."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.visitor import Visitor


def run_of(page: Page) -> Locator:
    """The recorded run."""
    return page.locator("[data-picture=induction_run]")


def step_of(run: Locator) -> int:
    """Where the playhead is."""
    found = re.match(r"step (\d+) of 400", run.locator(".al-player > output").inner_text())
    assert found
    return int(found[1])


def scrub(run: Locator, step: int) -> None:
    """Drag the playhead there."""
    run.get_by_role("slider", name="step of the run").evaluate(
        "(slider, step) => { slider.value = step; slider.dispatchEvent(new Event('input')); }", step
    )


def test_play_pause_and_scrub(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/two-layers")
    page = visitor.page
    run = run_of(page)
    button = run.locator(".al-player button").first
    expect(button).to_have_text("start", timeout=60_000)
    expect(run.get_by_role("slider")).to_have_count(1)  # no learning rate here
    expect(run.locator("figcaption")).to_have_text(re.compile(r"^Step 0: "))
    page.wait_for_function("document.querySelectorAll('[data-picture=induction_run] .heatmaplayer image').length === 3")
    drawn = run.locator(".heatmaplayer image")
    first = [image.get_attribute("href") or image.get_attribute("xlink:href") for image in drawn.all()]

    run.get_by_label("speed").select_option("20")
    button.click()
    expect(button).to_have_text("pause")
    page.wait_for_function("() => document.querySelector('.al-player > input').value > 60")
    button.click()
    expect(button).to_have_text("go on")
    paused = step_of(run)
    assert 60 < paused <= 400
    page.wait_for_timeout(300)
    assert step_of(run) == paused

    scrub(run, 200)
    expect(run.locator("figcaption")).to_have_text(re.compile(r"^Step 200: two layers are right \d+"))
    assert step_of(run) == 200
    page.wait_for_timeout(500)
    later = [image.get_attribute("href") or image.get_attribute("xlink:href") for image in drawn.all()]
    assert all(one != other for one, other in zip(first, later, strict=True))

    run.get_by_role("button", name="reset").click()
    expect(run.locator("figcaption")).to_have_text(re.compile(r"^Step 0: "))
    run.get_by_role("button", name="ten steps on").click()
    assert step_of(run) == 10


def test_a_change_by_hand_leaves_the_training_where_it_is(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/two-layers")
    page = visitor.page
    run = run_of(page)
    expect(run.locator(".al-player")).to_be_visible(timeout=60_000)
    scrub(run, 120)
    page.locator(".st-key-two_layers_removed").get_by_text("layer 1", exact=True).click()
    expect(page.get_by_text("every slot is empty")).to_be_visible()
    assert step_of(run) == 120
    page.get_by_text("two answers", exact=True).first.click()
    expect(page).to_have_url(re.compile(r"sequence=the(\+|%20)cat"))
    assert step_of(run) == 120
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844}, color_scheme="dark")
def test_on_a_phone_nothing_is_wider_than_the_screen(visitor: Visitor, app_url: str) -> None:
    words = "%20".join(["w" * 30, "%3Cs%3E", "*x*"] * 8)
    visitor.visit(f"{app_url}/two-layers?sequence={words}")
    page = visitor.page
    expect(run_of(page).locator(".al-player")).to_be_visible(timeout=60_000)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("(main) => main.scrollWidth <= innerWidth")
