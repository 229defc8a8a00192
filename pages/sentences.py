"""All five sentences under the present settings, one word in two of them, and one's own."""

import streamlit as st

from attention_core import SENTENCES
from attention_ui import captions, controls, prose
from attention_ui.escape import labels
from attention_ui.pictures import dashboard, projections
from attention_ui.settings import FIVE, OWN, Settings, attend, partner, shown_head
from attention_ui.show import show, show_all

text = prose.read("sentences")
settings = controls.current()

causal = [shown_head(Settings(sentence, mask="causal")).weights[SENTENCES[sentence].focus] for sentence in FIVE]
held = sum(captions.winners(row) == [SENTENCES[s].cue] for s, row in zip(FIVE, causal, strict=True))
told = text.say("guess-told", count=str(held))
controls.guess(text.parts["guess"], [str(n) for n in range(6)], [held], told, "sentences_guess")

rows = []
for sentence in FIVE:
    present = settings.but(sentence=sentence)
    weights = shown_head(present).weights[present.focus]
    output = attend(present).output[present.focus]
    heard = [labels(present.tokens)[j] for j in captions.winners(weights)]
    reading = f"{captions.vector(output)}: {present.focus_word} {captions.meaning(output)}"
    share = captions.percent(float(weights.max()))
    rows.append((" ".join(present.tokens), present.focus_word, captions.listed(heard), share, reading))
st.markdown(text.parts["table"])
columns = ("sentence", "word that asks", "listens most to", "weight", "what it becomes")
controls.sentence_table(columns, rows, FIVE, "sentences_table")

here = settings if settings.has_embedding and partner(settings).n_tokens > 1 else settings.but(sentence="river-bank")
st.markdown(text.say("pair", focus=here.focus_word))
with st.container(key="row-beside-pair"):
    show(projections.two_outputs, here, partner(here))
    show_all("column", (dashboard.focus_arcs, here), (dashboard.partner_arcs, partner(here)))

st.markdown(text.parts["own"])
controls.own_words()
if settings.sentence == OWN:
    controls.feature_grid(settings.tokens, "sentences_features")
    show_all("two", (dashboard.weight_grid, settings), (dashboard.value_plane, settings))

sharp = min(shown_head(Settings(s, d_k=64, scale=False)).weights[SENTENCES[s].focus].max() for s in FIVE)
padded = Settings("keyboard-mouse", mask="padding")
zebra = Settings(OWN, words="he put the zebra in the bank", features=(("zebra", (1.0, 0.0, 0.0, 0.0)),))
st.markdown(
    text.say(
        "try",
        sharp=captions.percent(float(sharp)),
        padded=captions.plain(shown_head(padded).weights[padded.focus][-1]),
        zebra=captions.listens(zebra.tokens, zebra.focus, shown_head(zebra).weights[zebra.focus]),
    )
)
