"""What holds for every test."""

from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]

# Machines differ in speed, so a slow example is no failure; CI tries the same examples every time.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: the cheap ones tell first, and Playwright keeps an event loop in this thread."""
    items.sort(key=lambda item: (ROOT / "tests" / "browser") in item.path.parents)
