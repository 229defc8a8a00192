"""Serves Attention Lab: the Streamlit app, and Plotly's script, compressed once and kept by browsers."""

import gzip
from pathlib import Path

import plotly
import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from attention_ui.component import KINDS, ROUTE, bundle

_PLOTLY = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_bytes()
_PACKED = gzip.compress(_PLOTLY, 9)
_HEADERS = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}


def component_file(request: Request) -> Response:
    """A component's script or style; its address changes with its content."""
    name = Path(request.path_params["name"])
    try:
        return Response(bundle(name.stem, name.suffix), media_type=KINDS[name.suffix], headers=_HEADERS)
    except FileNotFoundError:
        return Response(status_code=404)


def plotly_script(request: Request) -> Response:
    """Plotly's own script, from its wheel: compressing it for each visitor would cost 0.2 s each."""
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = _HEADERS | ({"Content-Encoding": "gzip"} if packed else {})
    return Response(_PACKED if packed else _PLOTLY, media_type="text/javascript", headers=headers)


# The main script is frame.py, in a folder without pages/: beside a folder pages/, Streamlit would take it
# for the old kind of multipage app and show a server's first visitor a page without its frame.
app = st.App(
    "attention_ui/frame.py",
    routes=[Route("/plotly.min.js", plotly_script), Route(f"/{ROUTE}/{{name}}", component_file)],
    middleware=[Middleware(GZipMiddleware, minimum_size=1000, compresslevel=4)],
)
