"""Serves the files that never change, compressed once, and has Streamlit's server do what it does quicker."""

from __future__ import annotations

import gc
import gzip
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path

import plotly
import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session

from attention_ui.component import HERE, KINDS, ROUTE, bundle

_FONTS = {".woff2": "font/woff2"}
_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
_STREAMLIT = Path(st.__file__).parent / "static"
# How to read each file, by its address. All of Streamlit's carry a digest in their names, ours carry it behind a "?".
_READ: dict[str, Callable[[], bytes]] = {
    **{
        f"/{file.relative_to(_STREAMLIT).as_posix()}": file.read_bytes
        for file in (_STREAMLIT / "static").rglob("*")
        if file.suffix in KINDS | _FONTS
    },
    **{
        f"/{ROUTE}/{folder.name}{kind}": partial(bundle, folder.name, kind)
        for kind in KINDS
        for folder in HERE.iterdir()
        if any(folder.glob(f"*{kind}"))
    },
    "/plotly.min.js": (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes,
}


@cache
def packed(address: str) -> bytes:
    """Return one of the files, compressed; for each visitor anew, Streamlit's and Plotly's would take 0.5 s."""
    return gzip.compress(_READ[address]())


class UnchangingFiles:
    """Answers for scripts, styles and fonts before all else does.

    Parameters
    ----------
    app : ASGIApp
        What answers for everything else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._prefix = base()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        address = scope.get("path", "").removeprefix(self._prefix)
        if scope["type"] != "http" or scope["method"] != "GET" or address not in _READ:
            await self._app(scope, receive, send)
            return
        kind = (KINDS | _FONTS)[Path(address).suffix]
        if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            answer = Response(packed(address), media_type=kind, headers=_HEADERS | {"Content-Encoding": "gzip"})
        else:
            answer = Response(_READ[address](), media_type=kind, headers=_HEADERS)
        await answer(scope, receive, send)


def base() -> str:
    """Return the path under which the app is served, such as ``"/attention"``; empty at the root of a host."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


@asynccontextmanager
async def started(_app: object) -> AsyncIterator[None]:
    """Make a server quick that is about to start."""
    send_at_once()
    make_theme_once()
    # What is loaded stays. Python need not look through it for garbage, which holds up all visitors for 0.1 s.
    gc.collect()
    gc.freeze()
    yield


def send_at_once() -> None:
    """Have connections send small messages without waiting until the ones before have arrived.

    Streamlit makes its socket in a way that keeps asyncio from doing this, and a browser confirms what has arrived
    only after 40 ms and more: a drag's answer took 48 ms instead of 14. Connections inherit it from what listens.
    """
    for listener in [thing for thing in gc.get_objects() if type(thing) is socket.socket]:
        if listener.fileno() >= 0 and listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def make_theme_once() -> None:
    """Have Streamlit put its theme together once: it does it anew for every change, in 0.3 ms of 5 and more.

    A theme that is edited shows after a restart. A Streamlit that goes about it in another way is left alone.
    """
    make = getattr(app_session, "_populate_theme_msg", None)
    if make is None:
        return

    @cache
    def made(section: str) -> CustomThemeConfig:
        theme = CustomThemeConfig()
        make(theme, section)
        return theme

    def copy(msg: CustomThemeConfig, section: str = "theme") -> None:
        theme = made(section)
        if theme.ByteSize():  # a part that says nothing must not look as if it were there
            msg.CopyFrom(theme)

    app_session._populate_theme_msg = copy
