"""The dashboard: a sentence, who listens to whom in it, and what the focus word becomes."""

import streamlit as st

from attention_core import lift_factor
from attention_ui import captions, controls, ledger, navigation, prose
from attention_ui.escape import labels
from attention_ui.formula import Symbol, formula
from attention_ui.pictures import dashboard
from attention_ui.settings import Settings, attend, embedding, partner, shown_head
from attention_ui.show import show, show_all

text = prose.read("home")
settings = controls.current()
word, trace, names = settings.focus_word, shown_head(settings), labels(settings.tokens)
weights, output = trace.weights[settings.focus], attend(settings).output[settings.focus]
best = captions.winners(weights)[0]

part_of = {"new": "output", "Q": "query", "Kᵀ": "key", "√d_k": "scale", "softmax": "softmax", "V": "value"}
signs = ("new", "=", "softmax", "(", "Q", "Kᵀ", "÷", "√d_k", ")", "V")
says = {sign: text.parts[part] for sign, part in part_of.items()}
formula([Symbol(s, part_of.get(s, ""), says.get(s, "")) for s in signs], text.parts["hint"], "formula")
controls.sentence_choice()
show(dashboard.focus_arcs, settings)

planes = [(dashboard.query_plane, settings), (dashboard.value_plane, settings)]
show_all("three", (dashboard.weight_grid, settings), *planes)

arithmetic = [
    text.html("line", focus=word, winner=names[best]),
    ledger.paragraphs(ledger.worked_line(settings, best)),
    text.html("blend", focus=word),
    ledger.paragraphs(ledger.blend(trace, settings.tokens, settings.focus)),
]
if settings.heads > 1:
    arithmetic.append(text.html("heads", heads=str(settings.heads), output=captions.vector(output)))
st.html(f"<div class='al-two'>{ledger.ledger(settings)}<div>{''.join(arithmetic)}</div></div>")

other = partner(settings)
other_names, other_trace = labels(other.tokens), shown_head(other)
other_weights, other_output = other_trace.weights[other.focus], attend(other).output[other.focus]
if not settings.has_embedding:
    st.markdown(text.parts["no-embedding"])
else:
    told = prose.fill("{said}.", said=captions.listens(other.tokens, other.focus, other_weights))
    if other.n_tokens > 1:
        question = text.say("guess", focus=word, other=" ".join(other.tokens))
        controls.guess(question, other_names, captions.winners(other_weights), told, "home_guess")
    else:
        shares = ["nothing", "half", "everything"]
        right_one = [round(2 * float(other_weights[0]))]
        controls.guess(text.say("guess-alone", focus=word), shares, right_one, told, "home_guess")
    st.markdown(text.say("same-word", focus=word))
    sentences = " ".join(settings.tokens), " ".join(other.tokens)
    starts = embedding(settings)[settings.focus], embedding(other)[other.focus]
    with st.container(key="row-2-partner"):
        show(dashboard.partner_arcs, other)
        st.html(ledger.comparison(sentences, starts, (output, other_output)))

river, pie = Settings("river-bank"), Settings("apple-pie", mask="causal")
turned = shown_head(river.but(heads=4, head=3)).weights[river.focus]
at_64 = [shown_head(river.but(d_k=64, scale=scale)).weights[river.focus].max() for scale in (True, False)]
tries = text.say(
    "try",
    lift=captions.plain(lift_factor(64)),
    now=captions.percent(at_64[0]),
    sharp=captions.percent(at_64[1]),
    blind=captions.plain(shown_head(pie).weights[pie.focus, pie.focus + 1]),
    turned=captions.listens(river.tokens, river.focus, turned),
)
st.markdown(tries + "\n\n" + text.parts["map"])
pages = navigation.pages()
with st.container(horizontal=True):
    for slug in ("by-hand", "arrows", "learning"):
        chapter = prose.read(slug)
        st.page_link(pages[slug], label=f"**{chapter.title}** · {chapter.teaser}")
chapters = "".join(f"<li><b>{chapter.title}</b>: {chapter.teaser}</li>" for chapter in prose.chapters())
st.html(f"<ol start='0' class='al-map'>{chapters}</ol>")
st.markdown("\n\n".join(text.parts[part] for part in ("about", "origin")))
