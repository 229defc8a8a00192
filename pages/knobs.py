"""The three knobs of attention: dividing by √d, the mask, and the number of heads."""

import streamlit as st

from attention_ui import captions, controls, prose
from attention_ui.escape import labels
from attention_ui.hiding import MISTAKES, leak_of, masked
from attention_ui.pictures import heads, masks, scale
from attention_ui.settings import Settings, hidden_cue, shown_head
from attention_ui.show import show, show_all
from attention_ui.widths import DEFAULT_WIDTH, GRADIENT, JACOBIAN, LARGEST, WIDTHS, mean_of, measures, median_of

text = prose.read("knobs")
settings = controls.current()
names, i, widest = labels(settings.tokens), settings.focus, WIDTHS[-1]

shares = (0.125, 0.35, 0.65, 0.95)
raw, scaled = mean_of(widest, LARGEST, scaled=False), mean_of(widest, LARGEST, scaled=True)
told = text.say("guess-told", raw=captions.percent(raw), scaled=captions.percent(scaled))
options = [f"about {captions.percent(share)}" for share in shares]
controls.guess(text.parts["guess"], options, [captions.nearest(raw, shares)], told, "knobs_guess")

st.markdown(text.parts["scale"])
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    d = controls.stops("Random-vector width d", WIDTHS, DEFAULT_WIDTH, "knobs_width")
    measure = controls.choice("What to count", measures(d), "knobs_measure")
    controls.knob("scale")
show_all("two", (scale.one_query, d, settings.scale), (scale.histogram, d, measure, settings.scale))
show(scale.every_width, d)
gradients = [median_of(width, GRADIENT, scaled=False) for width in (8, widest)]
st.markdown(
    text.say(
        "scale-note",
        narrow=captions.number(gradients[0]),
        wide=captions.number(gradients[1], 3),
        mean=captions.number(mean_of(widest, GRADIENT, scaled=False), 1),
        scaled=captions.number(median_of(widest, GRADIENT, scaled=True)),
    )
    + "\n\n"
    + text.parts["mask"]
)
controls.knob("mask")
hiding = masked(settings)
show(masks.mask_steps, hiding)
anyone = hiding.but(focus=0)  # the pictures below ask nobody in particular
cue = hidden_cue(hiding)
note = "" if cue is None else text.say("hidden", cue=names[cue], word=names[i])
st.markdown(text.say(f"mask-{hiding.mask}") + "\n\n" + note + "\n\n" + text.parts["leak"])
with st.container(key="row-2-leak"):
    masking = controls.picked("A mistake to compare with", MISTAKES, "knobs_mistake")
    word = controls.place("The word that changes", names, "knobs_word", settings.n_tokens - 1)
guesses = [(masks.predictions, anyone)] if settings.n_tokens > 1 else []
show_all("two", (masks.leak_meter, anyone, masking, word), *guesses)
if not guesses:
    st.markdown(text.parts["no-guesses"])
st.markdown(text.say("museum", count=str(settings.n_tokens - 1)))
show(masks.museum, anyone.but(scale=True, mask="none"))

st.markdown(text.parts["heads"])
controls.knob("heads")
show(heads.head_maps, settings)
show(heads.head_mix, settings)

river = Settings("river-bank")
quarter = shown_head(river.but(heads=8, head=3)).weights[river.focus]
pie = shown_head(Settings("apple-pie", mask="window", window=1))
st.markdown(
    text.parts["heads-note"]
    + "\n\n"
    + text.say(
        "try",
        raw=captions.percent(raw),
        scaled=captions.percent(scaled),
        flat=captions.number(median_of(widest, JACOBIAN, scaled=False), 4),
        alone=captions.percent(float(pie.weights.max(axis=1).min())),
        zero=captions.tiny(leak_of(river, "zero before softmax")),
        right=captions.tiny(leak_of(river, "right")),
        turned=captions.listens(river.tokens, river.focus, quarter),
    )
)
