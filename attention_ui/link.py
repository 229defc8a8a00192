"""What a link holds beside the readable parameters: numbers and names as one short text that any URL can carry."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from attention_ui.prose import HOME

VIEW = "view"  # the parameter that holds it
LONGEST = 4096  # characters; what a page can hold packs into far less
_VERSION = "1-"
_UNPACKED = 1 << 18  # bytes; a hostile text of 4 kB could unpack to 4 MB


def pack(state: Mapping[str, Any]) -> str:
    """Return a state as a text for a URL; nothing for an empty state.

    Parameters
    ----------
    state : mapping of str to numbers, texts, booleans, None, and lists of them
        Numbers come back exactly as they are.

    Returns
    -------
    str
        The version, then base64url of the deflated JSON: letters, digits, ``-`` and ``_``.

    Examples
    --------
    >>> unpack(pack({"arrows_moved": [["query", 5, 0.0, 3.0]]}))
    {'arrows_moved': [['query', 5, 0.0, 3.0]]}
    """
    if not state:
        return ""
    text = json.dumps(state, separators=(",", ":"), allow_nan=False, sort_keys=True)
    return _VERSION + base64.urlsafe_b64encode(zlib.compress(text.encode("ascii"), 9)).decode("ascii").rstrip("=")


def address(slug: str, readable: Mapping[str, str], shown: Mapping[str, Any] | None = None) -> str:
    """Return the address of a page, seen from any other page, with what it is to show.

    Parameters
    ----------
    slug : str
        The page; `HOME` has no name in an address.
    readable : mapping of str to str
        Its readable parameters; empty ones are left out.
    shown : mapping, optional
        What its own controls show where that is not the default, as `pack` takes it.

    Examples
    --------
    >>> address("sentences", {"mask": "causal", "solved": ""}), address("home", {})
    ('sentences?mask=causal', './')
    """
    asked = {name: text for name, text in {**readable, VIEW: pack(shown or {})}.items() if text}
    return ("./" if slug == HOME else slug) + (f"?{urlencode(asked)}" if asked else "")


def unpack(text: str) -> dict[str, Any]:
    """Return the state that `pack` made the text of.

    Parameters
    ----------
    text : str
        From a URL, so anything at all.

    Returns
    -------
    dict
        Names and plain values; what they are good for is for their readers to check.

    Raises
    ------
    ValueError
        If the text is too long, damaged, or none of ours.

    Examples
    --------
    >>> unpack("")
    {}
    """
    if not text:
        return {}
    if len(text) > LONGEST:
        raise ValueError(f"the link's text has {len(text)} characters; at most {LONGEST} are read")
    if not text.startswith(_VERSION):
        raise ValueError("the link's text is of no version known here")
    try:
        body = text.removeprefix(_VERSION)
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars="-_", validate=True)
        unpacker = zlib.decompressobj()
        found = json.loads(unpacker.decompress(packed, _UNPACKED))
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        raise ValueError("the link's text is damaged") from error
    if not unpacker.eof or unpacker.unused_data or not isinstance(found, dict):
        raise ValueError("the link's text is damaged")
    return found
