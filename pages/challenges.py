"""Ten challenges, each a link to the page where it is to be solved, with what is solved ticked off."""

import streamlit as st

from attention_ui import controls, prose
from attention_ui.challenges import CHALLENGES, LIST
from attention_ui.escape import for_html
from attention_ui.link import address

text = prose.read("challenges")
solved = controls.solved()

done = text.parts["none" if not solved else "all" if len(solved) == len(CHALLENGES) else "some"]
st.markdown(prose.fill(done, count=str(len(solved)), all=str(len(CHALLENGES))))
rows = [
    f"<li><span role='img' aria-label='{'solved' if challenge.id in solved else 'not solved yet'}'>"
    f"{'✓' if challenge.id in solved else '·'}</span><div><a href='{for_html(challenge.link(solved))}'>"
    f"{prose.read(challenge.slug).title}</a><br>{challenge.task}</div></li>"
    for challenge in CHALLENGES
]
again = f"<p><a href='{address(LIST, {})}'>{text.parts['again']}</a></p>" if solved else ""
st.html(f"<ol class='al-challenges'>{''.join(rows)}</ol>{again}")
st.markdown(text.parts["how"])
