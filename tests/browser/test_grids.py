"""Number grids and the table of sentences: edited and chosen by mouse and keyboard."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.visitor import Visitor


def cell(page: Page, name: str) -> Locator:
    """A field by its full name, such as "W_Q, nature, x"."""
    return page.get_by_label(name, exact=True)


def note(page: Page, key: str) -> Locator:
    """What a grid says about the last edit."""
    return page.locator(f".st-key-{key} .al-grids-note")


@pytest.fixture
def projections(visitor: Visitor, app_url: str) -> Page:
    """Chapter 2 with its defaults."""
    visitor.visit(f"{app_url}/projections")
    return visitor.page


def test_an_edited_matrix_moves_the_sums_and_the_arrows(projections: Page) -> None:
    sums = projections.locator(".al-sum")
    expect(sums.nth(0)).to_contain_text("= (2, 2)")
    field = cell(projections, "W_Q, nature, x")
    field.fill("5")
    expect(sums.nth(0)).to_contain_text("= (5, 2)")
    expect(field).to_be_focused()  # typing goes on
    field.press("End")
    field.press_sequentially("0")
    expect(sums.nth(0)).to_contain_text("= (50, 2)")
    projections.get_by_role("button", name="Changed by you. Put the matrices back").click()
    expect(sums.nth(0)).to_contain_text("= (2, 2)")
    expect(field).to_have_value("2")


@pytest.mark.parametrize(
    ("typed", "says", "shown"),
    [
        ("", "Waiting for a number; the last one still counts.", "2"),
        ("1e308", "Held to ±1000.", "1000"),
        ("-1e308", "Held to ±1000.", "-1000"),
        ("-0", "", "0"),
        ("0.25", "", "0.25"),
    ],
)
def test_what_is_typed_into_a_cell(projections: Page, typed: str, says: str, shown: str) -> None:
    field = cell(projections, "W_Q, nature, x")
    field.fill(typed)
    expect(note(projections, "projections_W")).to_have_text(says)
    field.blur()
    expect(field).to_have_value(shown)
    number = shown.replace("-", "−")
    expect(projections.locator(".al-sum").first).to_contain_text(re.compile(rf"1·\(?{re.escape(number)}\)? \+ 1·0"))
    expect(projections.get_by_test_id("stMain")).not_to_contain_text("−0,")
    if "Waiting" in says:
        expect(note(projections, "projections_W")).to_have_text("")


def test_text_is_no_number(projections: Page) -> None:
    field = cell(projections, "W_K, made, y")
    field.fill("")
    field.press_sequentially("abc-e")
    expect(note(projections, "projections_W")).to_have_text("Waiting for a number; the last one still counts.")
    field.press("Tab")
    expect(cell(projections, "W_K, ambiguous, x")).to_be_focused()
    expect(field).to_have_value("2")


def test_the_key_matrix_set_to_the_query_matrix(projections: Page) -> None:
    button = projections.get_by_role("button", name="Set W_K := W_Q")
    button.focus()
    projections.keyboard.press("Enter")
    expect(cell(projections, "W_K, ambiguous, y")).to_have_value("0")
    expect(projections.locator("[data-picture=focus_arcs]")).to_contain_text("bank listens most to itself")


def test_features_hold_on_other_pages_and_come_back(projections: Page) -> None:
    cell(projections, "features, x, she, nature").fill("1")
    expect(projections.get_by_role("button", name="Back to the lexicon's features")).to_be_enabled()
    links = projections.get_by_test_id("stSidebarNav").get_by_role("link")
    links.filter(has_text="Drag the arrows").click()
    expect(projections.locator('.al-canvas-arrow[aria-label="key of she, 2, 0"]')).to_be_attached()
    links.filter(has_text="Where q, k and v come from").click()
    expect(cell(projections, "features, x, she, nature")).to_have_value("1")
    projections.get_by_role("button", name="Back to the lexicon's features").click()
    expect(cell(projections, "features, x, she, nature")).to_have_value("0")


def test_fast_typing_in_two_cells_loses_nothing(projections: Page) -> None:
    for value in ("3", "4", "5", "6"):
        cell(projections, "W_V, nature, x").fill(value)
        cell(projections, "W_V, made, y").fill(value)
    expect(projections.locator(".al-sum").nth(2)).to_contain_text("= (6, 6)")
    expect(cell(projections, "W_V, nature, x")).to_have_value("6")


@pytest.mark.browser_context_args(viewport={"width": 390, "height": 844})
def test_on_a_phone_nothing_is_wider_than_the_screen(visitor: Visitor, app_url: str) -> None:
    for slug in ("projections", "sentences", "arrows"):
        visitor.visit(f"{app_url}/{slug}")
        assert visitor.page.locator('[data-testid="stMain"]').evaluate("(e) => e.scrollWidth - e.clientWidth") <= 0, (
            slug
        )


# The table of sentences


def test_a_row_is_chosen_by_mouse(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/sentences")
    page = visitor.page
    page.locator(".al-choice").get_by_role("cell", name="apple", exact=True).first.click()
    expect(page).to_have_url(re.compile("sentence=apple-pie"))
    expect(page.locator(".al-choice .chosen")).to_contain_text("grandma baked an apple pie")
    expect(page.get_by_role("button", name="grandma baked an apple pie")).to_have_attribute("aria-pressed", "true")


def test_rows_are_chosen_by_keyboard_and_keep_the_focus(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/sentences")
    page = visitor.page
    first = page.get_by_role("button", name="she sat by the river bank")
    first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    second = page.get_by_role("button", name="he took money to the bank")
    expect(page).to_have_url(re.compile("sentence=money-bank"))
    expect(page.locator(".al-choice .chosen")).to_contain_text("he took money")
    expect(second).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page).to_have_url(re.compile("sentence=apple-pie"))


def test_the_table_follows_the_settings(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/sentences")
    expect(visitor.page.locator(".al-choice tbody tr").first).to_contain_text("77 %")
    visitor.choose("scale", False)
    visitor.choose("d_k", 64)
    expect(visitor.page.locator(".al-choice tbody tr").first).to_contain_text("> 99.9 %")


def test_words_are_taught_on_the_page(visitor: Visitor, app_url: str) -> None:
    visitor.visit(f"{app_url}/sentences")
    page = visitor.page
    typed = page.locator(".st-key-own_words input")
    typed.fill("he put the <b>zebra</b> in the bank")
    typed.press("Enter")
    name = "features, x, <b>zebra</b> (unknown), nature"
    cell(page, name).fill("1")
    expect(page.locator("[data-picture=value_plane]")).to_contain_text("bank becomes")
    expect(page.locator("[data-picture=weight_grid]")).to_contain_text("bank listens most to <b>zebra</b>")
    assert page.locator(".stApp table b").filter(has_text="zebra").count() == 0
