"""What holds for every test."""

from pathlib import Path

import pytest
from hypothesis import settings

BROWSER_TESTS = Path(__file__).parent / "browser"

# Machines differ in speed: a slow example is no failure. In CI hypothesis itself fixes the examples as well.
settings.register_profile("default", deadline=None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: the cheap ones tell first, and Playwright keeps an event loop in this thread."""
    items.sort(key=lambda item: BROWSER_TESTS in item.path.parents)
