"""The text in a link: what goes in comes out, and nothing else gets in."""

import base64
import contextlib
import json
import re
import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_ui.link import LONGEST, pack, unpack

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
STATES = st.dictionaries(st.text(), st.recursive(PLAIN, lambda inner: st.lists(inner, max_size=8)), max_size=8)


def made(body: bytes) -> str:
    """A link's text with any body."""
    return "1-" + base64.urlsafe_b64encode(zlib.compress(body, 9)).decode().rstrip("=")


@given(STATES)
def test_what_goes_in_comes_out(state: dict[str, Any]) -> None:
    text = pack(state)
    assert re.fullmatch(r"(1-[\w-]+)?", text, re.ASCII)
    if len(text) <= LONGEST:
        assert unpack(text) == state


def test_a_link_of_the_first_version_keeps_opening() -> None:
    text = (
        "1-eNqrVkosKsovL47PzS9LTVGyio5WKixNLapU0jHVMdQzMtXRNdAzjdWJVspOBYqZ6BjrGegY6RnExuogNKakKlkB5VMLFHJS"
        "89JLMpRqAY8mGtk"
    )
    moved = [["query", 5, 1.25, -0.5], ["key", 4, 3.0, 2.0]]
    assert unpack(text) == {"arrows_moved": moved, "arrows_mode": "keep length"}


@given(st.text(max_size=60) | st.text("abcXYZ019-_=", max_size=60).map("1-".__add__))
def test_any_text_is_a_state_or_a_value_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert isinstance(unpack(text), dict)


@pytest.mark.parametrize(
    "text",
    [
        *("2-AAAA", "1-", "1-AAAA", "1-é", "1-A", "river", "<script>alert(1)</script>", "\0"),
        *(made(body) for body in (b"[]", b"1", b"{", b"\xff", b"[" * 100_000, b"1" * 5_000)),
        made(json.dumps({"a": "b" * (1 << 20)}).encode()),  # small to send, large to unpack
        pack({"a": 1})[:-2],
        pack({"a": 1}) + "AAAA",
        "1-" + "A" * LONGEST,
    ],
    ids=lambda text: ascii(text)[:24],
)
def test_a_bad_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="the link's text "):
        unpack(text)
