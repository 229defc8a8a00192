"""The words, signs, code and sources of all chapters."""

import streamlit as st

from attention_ui import prose, source
from attention_ui.anchor import anchor

text = prose.read("reference")
with st.container(key="glossary"):
    st.markdown(text.parts["words"])
for part in ("signs", "model", "code"):
    st.markdown(text.parts[part])
st.code(source.formula_in_code(), "python", wrap_lines=True)
st.markdown(text.parts["sources"])
anchor("reference_anchor")
