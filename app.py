"""Serves Attention Lab: the Streamlit app, and the files that never change."""

import streamlit as st
from starlette.middleware import Middleware

from attention_ui.about import apologize
from attention_ui.serving import UnchangingFiles, started

# The main script is frame.py, in a folder without pages/: beside a folder pages/, Streamlit would take it
# for the old kind of multipage app and show a server's first visitor a page without its frame.
app = st.App(
    "attention_ui/frame.py",
    lifespan=started,
    middleware=[Middleware(UnchangingFiles)],
    on_script_error=apologize,
)
