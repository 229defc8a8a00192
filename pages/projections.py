"""Where q, k and v come from: one row of numbers times three matrices."""

import streamlit as st

from attention_ui import captions, controls, ledger, prose
from attention_ui.escape import labels
from attention_ui.pictures import dashboard, projections
from attention_ui.settings import ROLES, Settings, embedding, matrices, qkv, same_question, shown_head
from attention_ui.show import show_all

text = prose.read("projections")
river = Settings("river-bank")
broken = same_question(river)
row = shown_head(broken).weights[broken.focus]
names = labels(river.tokens)
told = text.say("told", said=captions.listens(river.tokens, river.focus, row))
controls.guess(text.parts["guess"], names, captions.winners(row), told, "projections_guess")
st.markdown(text.parts["roles"])

settings = controls.current()
if not settings.has_embedding:
    st.markdown(text.parts["no-embedding"])
    controls.sentence_choice()
else:
    above = st.container()  # the pictures come first on the page, but follow what is edited below them
    st.markdown(text.parts["edit"])
    controls.feature_grid(settings.tokens, "projections_features")
    settings = controls.matrix_grids(settings, "projections_W")
    i, names, x = settings.focus, labels(settings.tokens), embedding(settings)[settings.focus]
    with above:
        controls.row_choice("The word to follow")
        st.markdown(text.say("products", focus=names[i]))
        lines = [
            f'<b class="al-role-{role}">{name}</b> = x · W_{name.upper()} = {ledger.projection(x, W)}'
            for name, role, W in zip("qkv", ROLES, matrices(settings), strict=True)
        ]
        st.html(ledger.paragraphs(*lines))
        show_all("two", (projections.three_arrows, settings), (dashboard.focus_arcs, settings))

rang = Settings("apple-phone", focus=3)
three = {name: captions.vector(x[rang.focus], 0) for name, x in zip("qkv", qkv(rang), strict=True)}
Q, K, _ = qkv(river)
twins = river.but(features=(("she", (1.0, 0.0, 0.0, 0.0)),))
cue = river.focus - 1
st.markdown(
    text.say("three", **three)
    + "\n\n"
    + text.parts["sizes"]
    + "\n\n"
    + text.say(
        "try",
        river_q=captions.vector(Q[cue], 0),
        river_k=captions.vector(K[cue], 0),
        bank_q=captions.vector(Q[river.focus], 0),
        bank_k=captions.vector(K[river.focus], 0),
        itself=captions.percent(row[river.focus]),
        split=captions.percent(shown_head(twins).weights[river.focus][cue]),
    )
)
