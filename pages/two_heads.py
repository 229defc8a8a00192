"""Two heads learn two lookups, beside one head on the same task; then one of them is taken out."""

import streamlit as st

from attention_ui import captions, controls, downloads, prose
from attention_ui.pictures import learning
from attention_ui.show import show

BURST, LIMIT, RATE = 800, 4000, 0.05
RATES = (0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5, 0.6)
VARIANTS = {
    "both, side by side": ("concat", True),
    "their sum": ("sum", True),
    "their sum, keys never collide": ("sum", False),
}

text = prose.read("two-heads")
usual = {n: learning.two_lookups(n_heads=n, steps=BURST, lr=((0, RATE),)) for n in (1, 2)}
left_over = {n: float(run.loss[-1] / run.no_skill_loss) for n, run in usual.items()}
options = ("hardly any", "about a quarter", "about half", "all of it")
shares = (0, 0.25, 0.5, 1)
right = [min(range(4), key=[abs(left_over[1] - share) for share in shares].__getitem__)]
told = text.say("told", share=captions.percent(left_over[1]), two=captions.percent(left_over[2]))
controls.guess(text.parts["guess"], options, right, told, "two_heads_guess")

st.markdown(text.parts["task"])
choice = controls.training("two_heads", tuple(VARIANTS), BURST, RATE, LIMIT)
target, collide = VARIANTS[choice.variant]
if target == "sum":
    st.markdown(text.parts["task-sum"])
two, one = (
    learning.two_lookups(choice.seed, n_heads=n, steps=choice.steps, lr=choice.schedule, target=target, collide=collide)
    for n in (2, 1)
)
broke = min((run.diverged_at for run in (two, one) if run.diverged_at is not None), default=None)
arguments = (choice.seed, choice.steps, choice.schedule, target, collide)
show(
    learning.two_heads_run,
    *arguments,
    player=controls.player(choice, RATES, LIMIT, broke is not None),
    on_play=controls.follow_player("two_heads", "two_heads_run", choice, BURST, LIMIT),
)
if broke is not None:
    st.warning(text.say("diverged", step=str(broke), rate=captions.plain(choice.schedule[-1][1])))

losses = {"one": one.loss[-1], "two": two.loss[-1], "none": two.no_skill_loss}
ends = {name: captions.number(float(loss), 3) for name, loss in losses.items()}
split = captions.number(float(two.specialisation[-1]) if two.specialisation is not None else 0.0)
if target == "concat":
    large = learning.two_lookups(n_heads=1, steps=BURST, lr=0.1, d_k=8, d_v=6)
    found = [text.say("concat-found", same=captions.number(float(large.loss[-1]), 3), **ends)]
else:
    found = [text.say("sum-found", split=split, **ends)]
if not collide:
    found.append(text.parts["apart-found"])
found += [text.say("roles", split=split), text.parts["remove" if target == "concat" else "remove-sum"]]
st.markdown("\n\n".join(found))
show(learning.removed_heads, *arguments)

st.markdown(text.parts["real"] + "\n\n" + text.parts["files"])
with st.container(horizontal=True):
    st.download_button("Weights (.npz)", downloads.weights_npz(two), "attention-lab-two-lookups.npz")
    st.download_button("Curve (.csv)", downloads.curves_csv(two), "attention-lab-two-lookups.csv", "text/csv")
parted = usual[2].specialisation
broken = learning.two_lookups(steps=BURST, lr=0.6)
st.markdown(
    text.say(
        "try", parts=str(int((parted > 0.5).argmax()) if parted is not None else 0), breaks=str(broken.diverged_at)
    )
)
