"""The worksheet, downloaded from the page and printed."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@pytest.mark.parametrize(("words", "expected"), [("the cat saw the dog", 2), ("<s> $5 *x*", 2)])
def test_the_worksheet_prints_without_blank_pages(quiet_page: Page, app_url: str, words: str, expected: int) -> None:
    page = quiet_page
    page.goto(f"{app_url}/by-hand?sheet=sidebar&sentence=own&words={words.replace(' ', '%20').replace('$', '%24')}")
    button = page.get_by_role("button", name="Download the worksheet")
    expect(button).to_be_visible()
    with page.expect_download() as caught:
        button.click()
    html = Path(caught.value.path()).read_text("utf-8")
    assert f"{app_url}/by-hand?" in html
    sheet = page.context.new_page()
    sheet.set_content(html)
    assert sheet.evaluate("document.body.innerText").count(words.split()[0]) >= 4
    assert sheet.locator("script, img, s").count() == 0
    for paper in ("A4", "Letter"):
        assert pages(sheet.pdf(format=paper)) == expected
