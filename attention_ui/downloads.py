"""Files to take home: the matrices of a run, and its curves."""

from __future__ import annotations

import io
from functools import lru_cache

import numpy as np
import pandas as pd

from attention_core.learning import LookupRun, TwoLookupsRun


@lru_cache(maxsize=32)
def weights_npz(run: LookupRun | TwoLookupsRun) -> bytes:
    """Return the matrices at every recorded step, as numpy's own file; ``recorded`` holds the steps."""
    names = ("recorded", "W_Q", "W_K", "W_V", "W_O", "attention")
    arrays = {name: getattr(run, name) for name in names if hasattr(run, name)}
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


@lru_cache(maxsize=32)
def curves_csv(run: LookupRun | TwoLookupsRun) -> str:
    """Return what is known of every step, as CSV."""
    names = ("steps", "loss", "match", "specialisation", "lookup")
    columns = {name: getattr(run, name, None) for name in names}
    return str(pd.DataFrame({name: x for name, x in columns.items() if x is not None}).to_csv(index=False))
