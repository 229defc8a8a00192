"""The heart of the lab: drag the query, the keys and the values, and watch everything that follows from them."""

import streamlit as st

from attention_core import unit_circle_ceiling
from attention_ui import captions, controls, ledger, prose
from attention_ui.escape import labels
from attention_ui.pictures import canvases, dashboard
from attention_ui.settings import Settings, attend, gain, hidden_cue, in_sight, put, shown_head
from attention_ui.show import show

text = prose.read("arrows")
river = Settings("river-bank")
up = shown_head(put(river, "query", river.focus, 0, 2)).weights[river.focus]
pulled = shown_head(put(river, "query", river.focus, 6, 6)).weights[river.focus]
aimed = shown_head(put(river, "query", river.focus, 6, 0)).weights[river.focus]
cue = river.focus - 1

options = ("none at all", "as much as she gets", "still the most")
right = [up[cue] == 0, abs(up[cue] - up[0]) < captions.TIE, captions.winners(up) == [cue]]
told = text.say("guess-told", share=captions.percent(up[cue]))
controls.guess(text.parts["guess"], options, [i for i, holds in enumerate(right) if holds], told, "arrows_guess")
mode = controls.arrow_modes()


@st.fragment
def lab() -> None:
    """All that moves with a dragged arrow; a drag runs this part alone."""
    settings = controls.moved()
    trace, names, i = shown_head(settings), labels(settings.tokens), settings.focus
    best = (captions.winners(trace.weights[i]) or [i])[0]
    left, right = st.columns([5, 6])
    with left:
        st.markdown(text.say("ask", focus=names[i]))
        controls.canvas(canvases.query_canvas(settings, mode), "arrows_ask")
        controls.arrow_reset(settings)
    with right:
        st.html(ledger.ledger(settings))
        st.markdown(text.say("line", winner=names[best]))
        st.html(f'<p class="al-sum">{ledger.worked_line(settings, best)}</p>')
        cue = hidden_cue(settings)
        if cue is not None:
            st.markdown(text.say(f"hidden-{settings.mask}", cue=names[cue], focus=names[i]))
        if mode == "unit circle":
            ceiling = captions.percent(unit_circle_ceiling(in_sight(settings), gain(settings)))
            st.markdown(text.say("ceiling", n=str(in_sight(settings)), ceiling=ceiling))
    left, right = st.columns([5, 6])
    with left:
        st.markdown(text.parts["values"])
        controls.canvas(canvases.value_canvas(settings), "arrows_values")
    with right:
        st.markdown(text.parts["blend"])
        st.html(f'<p class="al-sum">{ledger.blend(trace, settings.tokens, i)}</p>')
        if settings.heads > 1:
            st.markdown(text.say("heads", output=captions.vector(attend(settings).output[i])))
        if settings.keys_as_values:
            st.markdown(text.parts["keys-as-values"])
        show(dashboard.weight_grid, settings)
    st.markdown(text.parts["geometry"])
    st.html(ledger.lengths_and_angles(settings))


lab()

ceiling = captions.percent(unit_circle_ceiling(river.n_tokens, gain(river)))
st.markdown(
    text.say(
        "try",
        up=captions.percent(up[cue]),
        pulled=captions.percent(pulled[cue]),
        aimed=captions.percent(aimed[cue]),
        ceiling=ceiling,
        n=str(river.n_tokens),
    )
)
