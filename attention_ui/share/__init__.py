"""What the share dialog shows: an address to copy, and its QR code for a hall."""

from __future__ import annotations

from functools import lru_cache

import segno

from attention_ui.component import component

_mount = component("share")


def share(address: str, key: str) -> None:
    """Draw an address with a button that copies it and, unless it is too long for one, its QR code.

    Parameters
    ----------
    address : str
        The link.
    key : str
        The element's name.
    """
    _mount(data={"address": address, "modules": modules(address)}, key=key)


@lru_cache(maxsize=64)
def modules(address: str) -> list[str]:
    """Return the rows of an address's QR code, 1 for a dark module; none if no QR code holds it.

    Examples
    --------
    >>> code = modules("http" + "://lab.example/")
    >>> len(code), code[0][:7]
    (25, '1111111')
    """
    try:
        code = segno.make_qr(address)
    except segno.DataOverflowError:
        return []
    return ["".join(map(str, row)) for row in code.matrix]
