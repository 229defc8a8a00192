"""Heads that learn (chapters 7 and 8): tasks, gradients written out by hand, and runs to play back."""

from attention_core.learning.descent import MAX_BATCH, MAX_STEPS, RECORD_EVERY
from attention_core.learning.examples import Example
from attention_core.learning.lookup import LookupRun, train_lookup
from attention_core.learning.two_lookups import (
    HeadRemoved,
    TwoLookupsRun,
    match_heads,
    remove_head,
    train_two_lookups,
)

__all__ = [
    "MAX_BATCH",
    "MAX_STEPS",
    "RECORD_EVERY",
    "Example",
    "HeadRemoved",
    "LookupRun",
    "TwoLookupsRun",
    "match_heads",
    "remove_head",
    "train_lookup",
    "train_two_lookups",
]
