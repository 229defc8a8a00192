"""Ten challenges, each judged by the maths on what its page shows at present."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from attention_core import score_cells, tokenize
from attention_core.induction import SEQUENCE_LENGTH, hand_set
from attention_ui import captions, cautions, prose
from attention_ui.escape import for_html, labels
from attention_ui.link import address
from attention_ui.moves import moves_of, on_unit_circle
from attention_ui.ordering import KINDS, cue_reading
from attention_ui.pictures import learning
from attention_ui.settings import OWN_FOCUS, Settings, matrices, qkv, shown_head


@dataclass(frozen=True)
class Verdict:
    """Whether the present state solves a challenge, and the sentence that says where it stands, as HTML."""

    solved: bool
    said: str


Judge: TypeAlias = Callable[[Settings, Mapping[str, Any]], Verdict]


@dataclass(frozen=True)
class Challenge:
    """Something to bring about on a page.

    Parameters
    ----------
    id : str
        Its name in links: letters alone.
    slug : str
        The page.
    task : str
        One sentence or two, as HTML.
    start : mapping of str to str
        The readable parameters of the link that opens it.
    judge : callable
        Takes what the sidebar says and what every control of the page shows, by its name in the link.
    """

    id: str
    slug: str
    task: str
    start: Mapping[str, str]
    judge: Judge

    def link(self, solved: Iterable[str] = ()) -> str:
        """Return the address that opens it, for somebody who has solved others."""
        return address(self.slug, {**self.start, "challenge": self.id, "solved": solved_text(solved)})


RIVER, CAT, PIE, PHONE = (Settings(sentence) for sentence in ("river-bank", "cat-sat", "apple-pie", "apple-phone"))
CUE, RANG, PIES = RIVER.tokens.index("river"), PHONE.tokens.index("rang"), PIE.tokens.index("pie")
PULLED, SHARP, TRADED = 0.9, 0.99, 0.1  # weights
LATE = 50  # steps
TOKENS, PART = 4096, 0.01
LIST = "challenges"  # the page that lists them
PLACES, BETA = 2, 4.0  # of the two layers: how often they predict at least, and how sharply
_ABOUT = "This one is about <b>{sentence}</b>: choose it in the sidebar."
_PUT_BACK = "By {means}, and on <b>{sentence}</b>: put the rest of the sidebar and the features back."


def even(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 1: keys at which a query that stays finds all words alike."""
    if shown.get("sheet") != CAT.sentence:
        return Verdict(False, f"The sheet holds other words: choose <b>{CAT.sentence}</b> on it.")
    moved = moves_of(shown.get("sheet_moves", ()), CAT.n_tokens)
    sheet = CAT.but(scale=settings.scale, mask=settings.mask, window=settings.window, padding=settings.padding)
    sheet = sheet.but(moved=moved)
    if not np.array_equal(qkv(sheet)[0][CAT.focus], qkv(CAT)[0][CAT.focus]):
        return Verdict(False, "The query of <i>sat</i> is not what it was: put it back.")
    weights = shown_head(sheet).weights[CAT.focus]
    alike = len(captions.winners(weights)) == CAT.n_tokens
    return Verdict(alike, _said("{listens} now.", listens=captions.listens(CAT.tokens, CAT.focus, weights)))


def food(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 2: the values alone decide what is handed over."""
    if settings.but(focus=OWN_FOCUS) != RIVER:
        return Verdict(False, _said(_PUT_BACK, means="the matrices alone", sentence=RIVER.sentence))
    edited = RIVER.but(matrices=tuple(tuple(map(tuple, W)) for W in shown.get("projections_W_matrices", ())))
    both = zip(("W_Q", "W_K", "W_V"), matrices(RIVER), matrices(edited), strict=True)
    names = [name for name, old, new in both if not np.array_equal(old, new)]
    then, now = shown_head(RIVER), shown_head(edited)
    held = np.allclose(then.weights[RIVER.focus], now.weights[RIVER.focus], rtol=0, atol=captions.TIE)
    meaning = captions.meaning(now.output[RIVER.focus])
    said = "<i>bank</i> listens {how}, and what it becomes {meaning} now. Changed: {names}."
    how = "as before" if held else "otherwise than before"
    solved = len(names) == 1 and held and meaning == "points at food"
    return Verdict(solved, _said(said, how=how, meaning=meaning, names=captions.listed(names or ["no matrix"])))


def river(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 3: a query that points where one key lies and the others do not."""
    if settings.but(focus=OWN_FOCUS) != RIVER:
        return Verdict(False, _said(_PUT_BACK, means="dragging alone", sentence=RIVER.sentence))
    dragged = RIVER.but(moved=moves_of(shown.get("arrows_moves", ()), RIVER.n_tokens))
    if shown.get("arrows_mode") == "unit circle":
        dragged = on_unit_circle(dragged)
    if not np.array_equal(qkv(dragged)[1][CUE], qkv(RIVER)[1][CUE]):
        return Verdict(False, "The key of <i>river</i> is not where it was: put it back.")
    return _gives_river(float(shown_head(dragged).weights[RIVER.focus, CUE]), PULLED)


def width(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 5: raw scores grow with the width, and the softmax hardens."""
    if settings.but(focus=OWN_FOCUS, d_k=RIVER.d_k, scale=True) != RIVER:
        return Verdict(False, _said(_PUT_BACK, means="d_k alone", sentence=RIVER.sentence))
    if settings.scale:
        return Verdict(False, "The scores are divided by √d_k now, so d_k changes nothing: switch ÷ √d_k off.")
    return _gives_river(float(shown_head(settings).weights[RIVER.focus, CUE]), SHARP)


def cue(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 6: a position vector that drowns the meaning."""
    kind, strength = KINDS.get(str(shown.get("positions_kind"))), shown.get("positions_strength")
    if kind is None or strength is None:
        return Verdict(False, _said(_ABOUT, sentence=RIVER.sentence))
    if settings.features:
        return Verdict(False, "By the strength alone: put the features back.")
    share, heard = cue_reading(RIVER.sentence, kind, strength)
    said = "At this strength <i>bank</i> gives <i>river</i> {share} and listens most to <i>{heard}</i>."
    return Verdict(heard != CUE, _said(said, share=captions.percent(share), heard=labels(RIVER.tokens)[heard]))


def rate(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 7: a learning rate that overshoots."""
    steps, _, schedule = shown.get("learning_run", (0, 0, ()))
    if not schedule:
        return Verdict(False, "Nothing is trained yet.")
    run = learning.lookup(
        shown.get("learning_seed", 0),
        steps=steps,
        lr=tuple(map(tuple, schedule)),
        attend_self=shown.get("learning_variant") == learning.VIEWS[1],
    )
    if run.diverged_at is None:
        said = "The run holds: its loss is {loss} after {steps} steps."
        return Verdict(False, _said(said, loss=f"{run.loss[-1]:.2g}", steps=str(steps)))
    late = run.diverged_at > LATE
    return Verdict(late, f"The run broke off at step {run.diverged_at}{'' if late else ', too early'}.")


def pie(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 9: a mask hides what comes later."""
    if settings.sentence != PIE.sentence:
        return Verdict(False, _said(_ABOUT, sentence=PIE.sentence))
    weight = float(shown_head(settings).weights[PIE.focus, PIES])
    said = "<i>apple</i> gives <i>pie</i> {share} now, under the mask <b>{mask}</b>."
    return Verdict(weight > 0, _said(said, share=captions.percent(weight), mask=settings.mask))


def trade(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 10: other weights with the same output."""
    if settings != PHONE.but(focus=RANG):
        return Verdict(False, _said(_PUT_BACK, means="a trade alone, for rang", sentence=PHONE.sentence))
    way, percent = shown.get("caution_way", -1), shown.get("caution_percent", 0)
    if way not in range(len(cautions.way_names(settings))):
        return Verdict(False, "No trade is chosen yet.")
    own, heard = shown_head(settings).weights[RANG], PHONE.tokens.index("phone")
    now = float(cautions.other_weights(settings, way, percent)[heard])
    said = "<i>rang</i> gives <i>phone</i> {now} instead of {own}, for the same output."
    solved = own[heard] - now >= TRADED
    return Verdict(solved, _said(said, now=captions.number(now), own=captions.number(float(own[heard]))))


def window(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 11: a band instead of the grid."""
    n, wide = shown.get("cost_n"), shown.get("cost_window", 0)
    if n != TOKENS:
        return Verdict(False, f"Set n to {TOKENS:,} first.")
    share, next_share = (score_cells(n, window=each) / score_cells(n) for each in (wide, wide + 1))
    said = f"A window of {wide} needs {100 * share:.2f} % of the grid"
    if share >= PART:
        return Verdict(False, f"{said}: too much.")
    widest = next_share >= PART
    return Verdict(
        widest, f"{said}; one of {wide + 1} {'would need' if widest else 'still needs only'} {100 * next_share:.2f} %."
    )


def wrong(settings: Settings, shown: Mapping[str, Any]) -> Verdict:
    """Chapter 13: copying knows what came next before, not what comes next now."""
    tokens = tokenize(str(shown.get("sequence", "")))[:SEQUENCE_LENGTH]
    beta = float(shown.get("two_layers_beta", 0.0))
    if not tokens or beta < BETA:
        return Verdict(False, f"Give both layers a β of {BETA:g} or more.")
    trace = hand_set(tokens, beta)
    places = int(trace.predictable[:-1].sum())
    if places < PLACES or trace.accuracy is None:
        return Verdict(False, f"Words must come back, with another word after them, at least {PLACES} times.")
    said = "Both layers are right in {share} of the {places} places where a word has come back."
    return Verdict(trace.accuracy == 0, _said(said, share=captions.percent(trace.accuracy), places=str(places)))


CHALLENGES = (
    Challenge(
        "even", "by-hand", "Make <i>sat</i> listen to all four words alike, and leave its query as it is.", {}, even
    ),
    Challenge(
        "food",
        "projections",
        "Change one of the three matrices so that <i>bank</i> listens as before, and yet becomes food.",
        {},
        food,
    ),
    Challenge(
        "river",
        "arrows",
        f"By dragging alone, make <i>bank</i> give <i>river</i> at least {captions.percent(PULLED)}, without touching "
        "the key of <i>river</i>.",
        {},
        river,
    ),
    Challenge(
        "width",
        "knobs",
        f"Find a d_k at which unscaled attention is above {captions.percent(SHARP)}: as much must <i>bank</i> give "
        "<i>river</i>.",
        {},
        width,
    ),
    Challenge(
        "cue",
        "positions",
        "Turn up the strength of the positions until <i>bank</i> no longer listens most to <i>river</i>.",
        {},
        cue,
    ),
    Challenge(
        "rate",
        "learning",
        f"Break the run with the learning rate, but only after it has got past step {LATE}.",
        {},
        rate,
    ),
    Challenge(
        "pie",
        "sentences",
        "Why can <i>apple</i> not see <i>pie</i>? Make it see it.",
        {"sentence": PIE.sentence, "mask": "causal"},
        pie,
    ),
    Challenge(
        "trade",
        "caution",
        f"Take at least {TRADED:g} off the weight that <i>rang</i> gives <i>phone</i>, and keep the output as it is.",
        {"sentence": PHONE.sentence, "focus": str(RANG + 1)},
        trade,
    ),
    Challenge(
        "window",
        "cost",
        f"Find the widest window with which a text of {TOKENS:,} tokens needs less than {captions.percent(PART)} of "
        "the full grid.",
        {},
        window,
    ),
    Challenge(
        "wrong",
        "two-layers",
        "Write a sequence in which words come back, and on which both layers together are wrong every time.",
        {},
        wrong,
    ),
)


def named(name: str) -> Challenge | None:
    """Return the challenge of this id, or None.

    Examples
    --------
    >>> named("pie").slug, named("<b>")
    ('sentences', None)
    """
    return next((challenge for challenge in CHALLENGES if challenge.id == name), None)


def solved_ids(text: str) -> tuple[str, ...]:
    """Return which challenges a link's ``solved`` names, in their own order; what it does not know is ignored.

    Examples
    --------
    >>> solved_ids("pie-river--<b>-pie")
    ('river', 'pie')
    """
    said = text.split("-")
    return tuple(challenge.id for challenge in CHALLENGES if challenge.id in said)


def solved_text(solved: Iterable[str]) -> str:
    """Return the text that `solved_ids` reads."""
    return "-".join(solved)


def following(challenge: Challenge, solved: Iterable[str]) -> Challenge | None:
    """Return the next challenge that is not yet solved, from this one on and round; None if all are.

    Examples
    --------
    >>> following(CHALLENGES[9], ["even"]).id
    'food'
    """
    place, done = CHALLENGES.index(challenge), set(solved)
    round_ = (*CHALLENGES[place + 1 :], *CHALLENGES[: place + 1])
    return next((each for each in round_ if each.id not in done), None)


def banner(challenge: Challenge, verdict: Verdict | None, solved: Sequence[str]) -> str:
    """Return a challenge as HTML: its task, where it stands, and the ways on.

    Parameters
    ----------
    challenge : Challenge
        The one that is on.
    verdict : Verdict or None
        On the present state; None on another page than its own.
    solved : sequence of str
        The challenges solved so far, this one among them.
    """
    place, chapter = CHALLENGES.index(challenge) + 1, prose.read(challenge.slug)
    said, ways = "It belongs to another page.", {f"Go to {chapter.title}": challenge.link(solved)}
    if verdict is not None:
        said, ways = verdict.said, {}
        next_one = following(challenge, solved)
        if challenge.id in solved:
            said = f"{'<b>Solved.</b>' if verdict.solved else 'Solved before.'} {said}"
            ways = {"Next challenge →": next_one.link(solved)} if next_one else {}
    ways |= {f"{len(solved)} of {len(CHALLENGES)} solved": address(LIST, {"solved": solved_text(solved)})}
    links = "".join(f"<a href='{for_html(link)}'>{for_html(name)}</a>" for name, link in ways.items())
    done = " al-solved" if verdict is not None and verdict.solved else ""
    return (
        f"<section class='al-challenge{done}' aria-label='Challenge'><p><b>Challenge {place}.</b> {challenge.task}</p>"
        f"<p role='status'>{said}</p><p class='al-ways'>{links}</p></section>"
    )


def _gives_river(share: float, aim: float) -> Verdict:
    """Whether *bank* gives *river* as much as was aimed at."""
    said = "<i>bank</i> gives <i>river</i> {share} now."
    return Verdict(share >= aim, _said(said, share=captions.percent(share)))


def _said(text: str, **values: str) -> str:
    """Fill {names} in HTML with literal text."""
    return text.format(**{name: for_html(value) for name, value in values.items()})
