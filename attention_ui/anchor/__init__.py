"""The component that scrolls to the word that an address names, once the page has its style.

Streamlit scrolls as soon as the text is there; our style comes a moment later and moves everything.
"""

from __future__ import annotations

from attention_ui.component import component

_mount = component("anchor")


def anchor(key: str) -> None:
    """Scroll to what the address's #name names; draws nothing."""
    _mount(data={}, key=key)
