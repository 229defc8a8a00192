"""Arrays that the tests of the core have in common."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def normal(seed: int, *shape: int) -> Array:
    """Random numbers, the same for the same seed."""
    return np.random.default_rng(seed).normal(size=shape)
