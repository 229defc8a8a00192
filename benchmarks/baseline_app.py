"""Serves `baseline_arrows.py` with the one component that it shares with the app."""

from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from attention_ui.component import KINDS, ROUTE, bundle


def component_file(request: Request) -> Response:
    """A component's script or style."""
    name = Path(request.path_params["name"])
    return Response(bundle(name.stem, name.suffix), media_type=KINDS[name.suffix])


app = st.App(Path(__file__).with_name("baseline_arrows.py"), routes=[Route(f"/{ROUTE}/{{name}}", component_file)])
