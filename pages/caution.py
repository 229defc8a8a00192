"""What attention weights are not: other weights with one output, what a word contributes, a huge value, three myths."""

import streamlit as st

from attention_core import attention_flops, grid_crossing, layer_flops, score_cells
from attention_ui import captions, cautions, controls, prose
from attention_ui.escape import labels
from attention_ui.pictures import caution
from attention_ui.settings import Settings, shown_head
from attention_ui.show import show, show_all

GPT2_WIDTH = 768

text = prose.read("caution")
settings = controls.current()
trace, names, i = shown_head(settings), labels(settings.tokens), settings.focus
word, row, found = names[i], shown_head(settings).weights[i], cautions.ways(settings)
best, freedom = captions.winners(row), cautions.freedom(settings)
top = captions.listed([names[j] for j in best])
ways = captions.counted(len(found.directions), "independent way")
counts = {"words": captions.counted(found.n_words, "word"), "rank": captions.counted(found.rank, "condition")}
sizes = {**counts, "ways": ways, "top": top}

options = [text.parts[f"answer-{kind}"] for kind in range(3)]
told = text.say(f"told-{freedom}", **sizes)
controls.guess(text.say("guess", word=word), options, [freedom], told, "caution_guess")

way, percent = None, 0
with st.container(key="row-2-caution-1"):  # there also without its controls, so that what follows keeps its place
    if freedom:
        way = controls.place("Who trades with whom", cautions.way_names(settings), "caution_way")
        percent = controls.whole("How far to go, in % of the way to each end", -100, 100, 100, "caution_percent")
traded = (settings, way, percent)
show_all("two", (caution.same_output_weights, *traded), (caution.value_hull, *traded))
why = text.say(f"why-{freedom}", word=word, output=captions.vector(trace.output[i]), **sizes)
st.markdown(why + "\n\n" + text.say("measures", word=word))
show(caution.three_measures, settings)

read, can = [], cautions.can_be_huge(settings)
st.markdown(text.say("huge" if can else "no-huge", word=word))
if can:
    with st.container(key="row-2-caution-3"):
        j = can[controls.place("Whose value grows", [names[j] for j in can], "caution_huge")]
        factor = controls.whole("Times as long", 1, 50, 20, "caution_factor")
    huge = cautions.with_huge(settings, j, factor)
    show_all("two", (caution.huge_plane, settings, j, factor), (caution.huge_measures, huge))
    after = cautions.measures(huge)
    read.append(
        text.say(
            "huge-read",
            name=names[j],
            weight=captions.number(row[j]),
            before=captions.vector(trace.output[i]),
            after=captions.vector(shown_head(huge).output[i]),
            adds=captions.listed([names[k] for k in captions.winners(after.term_lengths)]),
            missed=captions.listed([names[k] for k in captions.winners(after.output_changes)] or ["nobody"]),
        )
    )

n, own = settings.n_tokens, cautions.measures(settings)
other = (i + 1) % n
read.append(
    text.say(
        "myths",
        word=word,
        top=names[best[0]],
        share=captions.percent(row[best[0]]),
        other=names[other],
        other_share=captions.percent(trace.weights[other, best[0]]),
        ways=ways,
        adds=captions.listed([names[k] for k in captions.winners(own.term_lengths)] or ["nobody"]),
        missed=captions.listed([names[k] for k in captions.winners(own.output_changes)] or ["nobody"]),
        n=str(n),
        twice=str(2 * n),
        cells=str(score_cells(n)),
        cells_twice=str(score_cells(2 * n)),
        cost=captions.number(layer_flops(2 * n, GPT2_WIDTH) / layer_flops(n, GPT2_WIDTH)),
        grid=captions.number(attention_flops(2 * n, GPT2_WIDTH) / attention_flops(n, GPT2_WIDTH), 0),
        width=str(GPT2_WIDTH),
        crossing=f"{grid_crossing(GPT2_WIDTH):,}",
    )
)

cat, causal = Settings("cat-sat"), Settings("cat-sat", mask="causal")
down = shown_head(cat).weights[cat.focus]
stretched = shown_head(cautions.with_huge(cat, 3, 20))
st.markdown(
    "\n\n".join(
        [
            *read,
            text.parts["papers"],
            text.say(
                "try",
                low=captions.number(down[3]),
                high=captions.number(cautions.other_weights(cat, 0, 100)[3]),
                output=captions.vector(shown_head(cat).output[cat.focus]),
                moved=captions.vector(stretched.output[cat.focus]),
                weight=captions.number(stretched.weights[cat.focus, 3]),
                n_words=captions.counted(cautions.ways(causal).n_words, "word"),
                rank=captions.counted(cautions.ways(causal).rank, "condition"),
            ),
        ]
    )
)
