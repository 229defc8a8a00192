"""One head learns to look something up, played step by step."""

import streamlit as st

from attention_ui import captions, controls, downloads, prose
from attention_ui.pictures import learning
from attention_ui.show import show

BURST, LIMIT, RATE = 300, 6000, 0.1
RATES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0, 1.3, 1.5, 2.0)

text = prose.read("learning")
usual = learning.lookup(steps=BURST, lr=((0, RATE),))
end = float(usual.match[-1])
options = ("a third", "about half", "nearly all, but not quite", "exactly all")
right = [abs(end - 1 / 3) < 0.1, abs(end - 0.5) < 0.1, 0.9 < end < 1, end == 1]
told = text.say("told", match=captions.percent(end))
question = text.say("guess", steps=str(BURST))
controls.guess(question, options, [i for i, holds in enumerate(right) if holds], told, "learning_guess")

st.markdown(text.parts["task"])
choice = controls.training("learning", learning.VIEWS, BURST, RATE, LIMIT)
attend_self = choice.variant == learning.VIEWS[1]
run = learning.lookup(choice.seed, steps=choice.steps, lr=choice.schedule, attend_self=attend_self)
show(
    learning.lookup_run,
    choice.seed,
    choice.steps,
    choice.schedule,
    attend_self,
    player=controls.player(choice, RATES, LIMIT, run.diverged_at is not None),
    on_play=controls.follow_player("learning", "lookup_run", choice, BURST, LIMIT),
)
if run.diverged_at is not None:
    rate = captions.plain(choice.schedule[-1][1])
    st.warning(text.say("diverged", step=str(run.diverged_at), rate=rate))
if attend_self:
    largest = sorted(run.W_V[-1].ravel().tolist())[:-4:-1]
    doubled = captions.listed([captions.number(value) for value in largest])
    st.markdown(text.say("self", match=captions.percent(float(run.match[-1])), doubled=doubled))

tenth = int((usual.loss < usual.loss[0] / 10).argmax())
st.markdown(text.say("watch", tenth=str(tenth)) + "\n\n" + text.parts["files"])
with st.container(horizontal=True):
    st.download_button("Weights (.npz)", downloads.weights_npz(run), "attention-lab-lookup.npz")
    st.download_button("Curve (.csv)", downloads.curves_csv(run), "attention-lab-lookup.csv", "text/csv")
broken = learning.lookup(steps=BURST, lr=1.5)
st.markdown(text.say("try", breaks=str(broken.diverged_at)))
