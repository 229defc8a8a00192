"""The heart of the lab: drag the query, the keys and the values, and watch everything that follows from them."""

import streamlit as st

from attention_core import unit_circle_ceiling
from attention_ui import captions, controls, ledger, prose
from attention_ui.escape import labels
from attention_ui.moves import put
from attention_ui.pictures import canvases, dashboard
from attention_ui.settings import Settings, attend, gain, hidden_cue, in_sight, shown_head
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
    """All that moves with a dragged arrow; a drag runs this part alone, in as few elements as it takes."""
    settings = controls.moved()
    trace, names, i = shown_head(settings), labels(settings.tokens), settings.focus
    best = (captions.winners(trace.weights[i]) or [i])[0]
    arithmetic = [
        ledger.ledger(settings),
        text.html("line", winner=names[best]),
        ledger.paragraphs(ledger.worked_line(settings, best)),
    ]
    hidden = hidden_cue(settings)
    if hidden is not None:
        arithmetic.append(text.html(f"hidden-{settings.mask}", cue=names[hidden], focus=names[i]))
    if mode == "unit circle":
        n = in_sight(settings)
        ceiling = captions.percent(unit_circle_ceiling(n, gain(settings)))
        arithmetic.append(text.html("ceiling", n=str(n), ceiling=ceiling))
    blend = [text.parts["blend"], ledger.paragraphs(ledger.blend(trace, settings.tokens, i))]
    if settings.heads > 1:
        blend.append(text.html("heads", output=captions.vector(attend(settings).output[i])))
    if settings.keys_as_values:
        blend.append(text.parts["keys-as-values"])

    with st.container(key="lab"):  # look.css lays out its seven parts as a grid
        ask = text.parts["ask"].format(focus=names[i])
        controls.canvas(canvases.query_canvas(settings, mode, ask), "arrows_ask")
        st.html("".join(arithmetic))
        controls.arrow_reset()
        controls.canvas(canvases.value_canvas(settings, text.parts["values"]), "arrows_values")
        st.html("".join(blend))
        show(dashboard.weight_grid, settings)
        st.html(text.parts["geometry"] + ledger.lengths_and_angles(settings))
    controls.write_link()


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
