"""All words at once: scores, weights and outputs as grids, one cell followed to its sources, a shuffle."""

import streamlit as st

from attention_core import W_K, W_Q
from attention_ui import captions, controls, ledger, prose
from attention_ui.escape import labels
from attention_ui.pictures import matrix
from attention_ui.settings import SHUFFLES, Settings, embedding, order_of, plane_vectors, shown_head, shuffle_residual
from attention_ui.show import show

text = prose.read("matrix")
settings = controls.current()
trace, names, i = shown_head(settings), labels(settings.tokens), settings.focus
heard = trace.weights.sum(axis=0)
loudest = captions.winners(heard)
total = captions.number(heard[loudest[0]])

tie = len(loudest) > 1
told = {"names": captions.listed([names[j] for j in loudest])} if tie else {"name": names[loudest[0]]}
told_text = text.say("told-tie" if tie else "told", total=total, **told)
controls.guess(text.parts["guess"], names, loudest, told_text, "matrix_guess")

with st.container(horizontal=True):
    controls.row_choice("Row: the word that listens")
    best = (captions.winners(trace.weights[i]) or [i])[0]
    j = controls.place("Column: the word that is heard", names, "matrix_column", best)
show(matrix.three_grids, settings, j)
st.markdown(
    text.say(
        "read",
        row=names[i],
        column=names[j],
        row_sum=captions.number(trace.weights[i].sum()),
        column_sum=captions.number(heard[j]),
        itself=captions.number(trace.weights[i, i]),
    )
    + "\n\n"
    + text.say("follow", row=names[i], column=names[j])
)
show(matrix.cell_sources, settings, j)
lines = [ledger.worked_line(settings, j)]
if settings.has_embedding:
    X, turned = embedding(settings), plane_vectors(settings)[0][i]
    turn = f", turned by the head to {captions.vector(turned)}" if settings.head else ""
    lines = [f"q = x·W_Q = {ledger.projection(X[i], W_Q)}{turn}", f"k = x·W_K = {ledger.projection(X[j], W_K)}", *lines]
st.html(ledger.paragraphs(*lines))

st.markdown(text.parts["shuffle"])
order = order_of(controls.choice("Order", SHUFFLES, "matrix_shuffle"), settings.n_tokens)
show(matrix.shuffle_grids, settings, order)
none = captions.tiny(shuffle_residual(settings.but(mask="none"), order))
causal = captions.tiny(shuffle_residual(settings.but(mask="causal"), order))
present = captions.tiny(shuffle_residual(settings, order))

river = Settings("river-bank")
backwards = order_of("reverse", river.n_tokens)
st.markdown(
    text.say("residual", none=none, causal=causal, present=present, mask=settings.mask)
    + "\n\n"
    + text.say(
        "try",
        all=captions.plain(heard.sum()),
        own=captions.plain(shown_head(river).scores[river.focus, river.focus]),
        none=captions.tiny(shuffle_residual(river, backwards)),
        causal=captions.tiny(shuffle_residual(river.but(mask="causal"), backwards)),
    )
)
