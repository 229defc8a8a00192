"""What holds for every test."""

import os
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings

BROWSER_TESTS = Path(__file__).parent / "browser"

# Machines differ in speed: a slow example is no failure. In CI hypothesis itself fixes the examples as well.
settings.register_profile("default", deadline=None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: the cheap ones tell first, and Playwright keeps an event loop in this thread."""
    items.sort(key=lambda item: BROWSER_TESTS in item.path.parents)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a test that was skipped has failed, whatever the reason: CI's machine has all that a test asks for."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome, report.longrepr = "failed", f"skipped in CI: {report.longrepr}"
    return report
