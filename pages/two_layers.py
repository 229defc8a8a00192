"""An induction head: two layers set by hand, place by place, then the same two learned, with one layer beside them."""

import streamlit as st

from attention_core.induction import SEQUENCE_LENGTH
from attention_ui import captions, controls, copying, prose
from attention_ui.escape import labels
from attention_ui.pictures import induction
from attention_ui.show import show

EXAMPLES = {
    "letters": "A B C D E F A B C D",
    "names": "Ada Lovelace met Charles Babbage and Ada Lovelace told Charles",
    "two answers": "the cat sat on the mat the",
    "one word": "A A A A A A",
    "no repeat": "A B C D E F",
}
BETA = 4.0
REMOVED = {"nothing": None, "layer 1": 1, "layer 2": 2}

text = prose.read("two-layers")
letters, mats = (tuple(EXAMPLES[name].split()) for name in ("letters", "two answers"))
usual = induction.taken_apart(letters, BETA)
left_over = usual["no layer 1"].accuracy or 0.0
right = [left_over == 1, 0.25 < left_over < 0.75, left_over == 0]
whole = captions.percent(usual["both layers"].accuracy or 0.0)
told = text.say("told", share=captions.percent(left_over), whole=whole)
options = ("all of them", "about half", "none")
controls.guess(text.parts["guess"], options, [right.index(True)], told, "two_layers_guess")


@st.fragment
def lab() -> None:
    """The two layers set by hand: a change here leaves the training below alone."""
    tokens, notice = controls.sequence(EXAMPLES, SEQUENCE_LENGTH)
    if notice:
        st.warning(notice)
    names = labels(tokens, 12)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        position = controls.place("The word that asks", names, "two_layers_place", len(names) - 1)
        beta = controls.slider("β, sharpness of both layers", 0.0, 10.0, BETA, "two_layers_beta", 0.5)
        removed = REMOVED[controls.choice("Take away", tuple(REMOVED), "two_layers_removed")]
        start_token = controls.switch("start token", True, "two_layers_start")
    show(induction.first_layer, tokens, position, beta, start_token, removed)
    show(induction.second_layer, tokens, position, beta, start_token, removed)

    trace = induction.trace_of(tokens, beta, start_token, removed)
    said = {"word": names[position], "place": str(position + 1)}
    said_1 = text.html("layer1", **said) + copying.layer_1(trace, position)
    said_2 = text.html("layer2", **said) + copying.layer_2(trace, position)
    following = tokens[position + 1] if position + 1 < len(tokens) else ""
    outcome = copying.outcome(trace, position)
    predicted = str(trace.predicted[position])
    four = [
        text.parts["layer1-gone"] if removed == 1 else said_1,
        text.parts["layer2-gone"] if removed == 2 else said_2,
        text.html("prediction", **said) + copying.prediction(trace, position),
        text.html(f"outcome-{outcome}", predicted=predicted, following=following, **said),
    ]
    st.html(f"<div class='al-two'>{''.join(f'<div>{part}</div>' for part in four)}</div>")

    st.markdown(text.parts["breaks"])
    scores = induction.taken_apart(tokens, beta)["both layers"]
    if scores.induction_score is None:
        st.markdown(text.parts["breaks-none"])
    else:
        show(induction.what_breaks, tokens, beta)
        if scores.accuracy is None:
            st.markdown(text.parts["breaks-half"])
    controls.write_link()


st.markdown(text.parts["hand"])
lab()
st.markdown(
    text.say("random", beta=captions.plain(BETA), **induction.random_means(BETA))
    + "\n\n"
    + text.parts["why"]
    + "\n\n"
    + text.parts["learn"]
)
seed = controls.seed("two_layers")
with st.spinner("Training two layers, then one, 400 steps each …"):
    two, one = induction.learned(seed)
last = int(two.steps[-1])
show(
    induction.induction_run,
    seed,
    player=controls.replay("two_layers", last),
    on_play=controls.follow_replay("two_layers", "induction_run", last),
)
ends = {
    "half": str(induction.first_step(two, 0.5)),
    "solved": str(induction.first_step(two, 0.95)),
    "two": captions.percent(float(two.accuracy[-1])),
    "one": captions.percent(float(one.accuracy[-1])),
    "copies": captions.percent(float(two.induction_score[-1])),
    "back": captions.percent(float(two.previous_score[-1])),
    "low": captions.percent(two.elimination),
    "high": captions.percent(two.elimination_within_ten),
}
st.markdown(text.say("learned", **ends))
st.download_button("Curves (.csv)", induction.learned_csv(seed), f"attention-lab-two-layers-{seed}.csv", "text/csv")

sharp, blunt = (induction.taken_apart(letters, beta)["both layers"] for beta in (8.0, 1.0))
torn, alone = induction.trace_of(mats, BETA), induction.trace_of(letters, BETA, start_token=False)
cat, mat = (captions.number(float(torn.logits[-1, torn.vocabulary.index(word)])) for word in ("cat", "mat"))
tries = {
    "usual": captions.number(usual["both layers"].induction_score or 0.0),
    "sharp": captions.number(sharp.induction_score or 0.0),
    "blunt": captions.percent(blunt.accuracy or 0.0),
    "found": str(alone.predicted[letters.index("A", 1)]),
    "broken": captions.percent(alone.accuracy or 0.0),
    **{"cat": cat, "mat": mat, "half": ends["half"]},
}
st.markdown(text.say("try", **tries))
