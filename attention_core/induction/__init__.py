"""An induction head (chapter 13): two layers that find where a word stood before and copy what followed."""

from attention_core.induction.by_hand import InductionTrace, Slots, hand_set
from attention_core.induction.sequences import N_WORDS, SEQUENCE_LENGTH, followers
from attention_core.induction.training import MAX_STEPS, RECORD_EVERY, InductionRun, train

__all__ = [
    "MAX_STEPS",
    "N_WORDS",
    "RECORD_EVERY",
    "SEQUENCE_LENGTH",
    "InductionRun",
    "InductionTrace",
    "Slots",
    "followers",
    "hand_set",
    "train",
]
