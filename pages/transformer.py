"""The rest of the block: residual stream, layer norm and stack; cross-attention; generation with a cache; circuits."""

import streamlit as st

from attention_core import MAX_BLOCKS, NORMS, SENTENCES, generation_scores
from attention_ui import captions, controls, prose, stacks
from attention_ui.escape import labels
from attention_ui.pictures import transformer
from attention_ui.settings import Settings
from attention_ui.show import show

LONG = 1024

text = prose.read("transformer")
settings = controls.current()
names, i = labels(settings.tokens), settings.focus

with_cache, without = generation_scores(LONG), generation_scores(LONG, cached=False)
options = ("about as many", "some 30 times as many", "some 300 times as many")
right_one = [captions.nearest(without / with_cache, (1, 30, 300))]
told = text.say("told", without=f"{without:,}", times=captions.number(without / with_cache, 0))
question = text.say("guess", long=f"{LONG:,}", cached=f"{with_cache:,}")
controls.guess(question, options, right_one, told, "transformer_guess")

st.markdown(text.say("stack", word=names[i]))
if not settings.has_embedding:
    st.markdown(text.parts["no-embedding"])
    controls.sentence_choice()
else:
    with st.container(horizontal=True, gap="medium"):
        blocks = controls.whole("Blocks", 1, MAX_BLOCKS, 3, "transformer_blocks")
        norm = controls.choice("Layer norm", NORMS, "transformer_norm")
        seed = controls.whole("Seed of the random weights", 0, 99, 0, "transformer_seed")
    show(transformer.residual_stream, settings, blocks, seed, norm)
    lengths = {name: stacks.stack(settings, blocks, seed, name).lengths[:, i] for name in NORMS}
    st.markdown(
        text.say(
            "stack-read",
            word=names[i],
            blocks=captions.counted(blocks, "block"),
            seed=str(seed),
            start=captions.number(lengths["pre"][0]),
            pre=captions.number(lengths["pre"][-1]),
            post=captions.number(lengths["post"][-1]),
        )
    )

st.markdown(text.parts["cross"])
others = [sentence for sentence in SENTENCES if sentence != settings.sentence]
other = settings.but(sentence=others[controls.place("The other sentence", others, "transformer_other")])
show(transformer.cross_grid, settings, other)
if not (settings.has_embedding and other.has_embedding):
    st.markdown(text.parts["cross-given"])

st.markdown(text.parts["generate"])
word = controls.step("Words written", settings.n_tokens, "transformer_words", settings.n_tokens) - 1
show(transformer.one_more_word, settings, word)
found = stacks.generated(settings, word)
st.markdown(
    text.say("generate-read", difference=captions.tiny(found.difference))
    + "\n\n"
    + text.say("circuits", head=str(settings.head + 1), heads=str(settings.heads))
)
show(transformer.circuits, settings)

river, cat = Settings("river-bank"), Settings("cat-sat")
tall = {norm: stacks.stack(river, MAX_BLOCKS, 0, norm).lengths[-1, river.focus] for norm in NORMS}
last = stacks.generated(cat, cat.n_tokens - 1)
pie = river.but(sentence="apple-pie")
crossed = stacks.cross(river, pie).weights[river.focus]
heard = captions.winners(crossed)
st.markdown(
    "\n\n".join(
        [
            text.parts["circuits-read"],
            text.say(
                "try",
                most=str(MAX_BLOCKS),
                pre=captions.number(tall["pre"]),
                post=captions.number(tall["post"]),
                cached=str(last.cache.dot_products),
                without=str(last.without),
                heard=captions.listed([pie.tokens[j] for j in heard]),
                share=captions.percent(crossed[heard[0]]),
                pie=captions.percent(crossed[pie.tokens.index("pie")]),
            ),
        ]
    )
)
