"""The order that attention cannot see, and how it is told: sinusoids, learned tables, RoPE and ALiBi."""

import streamlit as st

from attention_core import DEFAULT_STRENGTH, sinusoidal_positions
from attention_ui import captions, controls, position_text, prose
from attention_ui.escape import labels
from attention_ui.ordering import (
    BITES,
    KINDS,
    ORDERS,
    cue_reading,
    cues_held,
    moved_words,
    order_for,
    read_in,
    residual,
)
from attention_ui.pictures import order as pictures
from attention_ui.pictures import positions
from attention_ui.settings import FIVE, Settings
from attention_ui.show import show, show_all

text = prose.read("positions")
settings = controls.current()
mirror = order_for("reverse", BITES.n_tokens)

moved = [moved_words(BITES, kind, DEFAULT_STRENGTH, mirror) for kind in ("none", "sinusoidal")]
options = ("none of them", "one", "two", "all three")
told = text.say("guess-told", now=options[moved[0]], then=options[moved[1]])
controls.guess(text.parts["guess"], options, [moved[0]], told, "positions_guess")
show(pictures.both_orders, "none", DEFAULT_STRENGTH)
placed = [
    captions.vector(read_in(BITES, "sinusoidal", DEFAULT_STRENGTH, each).output[1]) for each in ((0, 1, 2), mirror)
]
st.markdown(text.say("blind", first=placed[0], second=placed[1]) + "\n\n" + text.parts["sinusoids"])

with st.container(horizontal=True, gap="medium"):
    T = controls.whole("Positions T", 4, 128, 32, "positions_T", 4)
    d = controls.whole("Dimensions d", 4, 128, 32, "positions_d", 2)
    p = controls.whole("Highlighted position p", 0, T - 1, 5, "positions_p")
    k = controls.whole("Offset k", 0, T - 1, 3, "positions_k")
show(positions.sinusoids, T, d, p)
st.html(text.html("vector", p=str(p)) + position_text.vector_table(d, p) + text.parts["distance"])
show_all("two", (positions.dot_products, T, d, p), (positions.offset, d, k))
st.html(position_text.offset_lines(T, d, p, k) + text.parts["lab"])
if not settings.has_embedding:
    st.markdown(text.parts["no-embedding"])
    controls.sentence_choice()
else:
    names = labels(settings.tokens)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        kind = KINDS[controls.choice("Positions", tuple(KINDS), "positions_kind", "sinusoidal")]
        strength = controls.slider("Strength", 0.0, 1.0, DEFAULT_STRENGTH, "positions_strength", 0.05)
        order = order_for(controls.picked("Order of the words", ORDERS, "positions_order", 1), settings.n_tokens)
    show(pictures.two_readings, settings, kind, strength, order)
    line = text.html("line", words=" ".join(settings.tokens[place] for place in order))
    st.html(line + position_text.residual_table(settings.but(focus=0), strength, order) + text.parts["kinds"])
    show(pictures.by_distance, settings)
    st.markdown(text.parts["cues"])
    show(pictures.five_cues, kind, strength, settings.features)

river = Settings("river-bank")
back = order_for("reverse", river.n_tokens)
swap, last = (0, 1, 3, 2, 4, 5), (1, 2, 3, 4, 5, 0)  # by and the; she to the end
lost = [name for name in FIVE if name not in cues_held("sinusoidal", 1.0)]
mirrored = captions.tiny(residual(river, "alibi", DEFAULT_STRENGTH, back))
causal = captions.tiny(residual(river.but(mask="causal"), "alibi", DEFAULT_STRENGTH, back))
st.markdown(
    text.say(
        "after",
        count=str(len(lost)),
        all=str(len(FIVE)),
        river=labels(river.tokens)[cue_reading("river-bank", "sinusoidal", 1.0)[1]],
        vector=captions.vector(sinusoidal_positions(1, 4)[0], 0),
        mirrored=mirrored,
        causal=causal,
        last=captions.tiny(residual(river, "rope", DEFAULT_STRENGTH, last)),
        rope=captions.tiny(residual(river, "rope", DEFAULT_STRENGTH, swap)),
        sinusoidal=captions.tiny(residual(river, "sinusoidal", DEFAULT_STRENGTH, swap)),
    )
    + "\n\n"
    + text.say(
        "try",
        none=captions.tiny(residual(river, "none", DEFAULT_STRENGTH, back)),
        some=captions.tiny(residual(river, "sinusoidal", DEFAULT_STRENGTH, back)),
        count=str(len(lost)),
        all=str(len(FIVE)),
        mirrored=mirrored,
        causal=causal,
    )
)
