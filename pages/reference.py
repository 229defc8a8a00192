"""The words, signs and sources of all chapters."""

import streamlit as st

from attention_ui import prose

for part in prose.read("reference").parts.values():
    st.markdown(part)
