"""A head of the hand-built model as two matrices between words: where to look, and what to copy."""

import numpy as np

from attention_core.attention import FloatArray
from attention_core.model import HEAD_ANGLES, W_K, W_Q, W_V, _matrix, _one_of, output_matrix, rotation

WRITE_BACK = _matrix([[0.25, 0, 0, 0], [0, 0.25, 0, 0]])  # from the value plane, (nature, made) times 4, to features


def write_back_matrix(n_heads: int) -> FloatArray:
    """Return U, which mixes the heads and writes what they found back into the four features: W_O · WRITE_BACK.

    Parameters
    ----------
    n_heads : int
        One of `HEAD_CHOICES`.

    Returns
    -------
    ndarray, U, (n_heads · 2, 4)

    Raises
    ------
    ValueError
        If `n_heads` is not one of the choices.

    References
    ----------
    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits, "Attention heads are independent and
    additive".

    Examples
    --------
    >>> write_back_matrix(1)
    array([[0.25, 0.  , 0.  , 0.  ],
           [0.  , 0.25, 0.  , 0.  ]])
    """
    return np.asarray(output_matrix(n_heads) @ WRITE_BACK)


def qk_circuit(head: int) -> FloatArray:
    """Return the matrix of "where to look": x QK yᵀ is the score of a word y in the eyes of a word x, at d_k = 2.

    Parameters
    ----------
    head : int
        Which head, 0 to 7.

    Returns
    -------
    ndarray, QK = W_Q Rot W_Kᵀ, (4, 4)
        Rows are features of the word that looks, columns of the word that is looked at.

    Raises
    ------
    ValueError
        If there is no such head.

    References
    ----------
    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits, "Splitting attention head terms into
    circuits" (there for column vectors, so transposed).

    Examples
    --------
    >>> bank, river = np.array([1, 1, 1, 0]), np.array([1, 0, 0, 0])
    >>> bank @ qk_circuit(0) @ river, bank @ qk_circuit(0) @ bank
    (np.float64(4.0), np.float64(0.0))
    """
    _one_of("head", head, tuple(range(len(HEAD_ANGLES))))
    return np.asarray(W_Q @ rotation(HEAD_ANGLES[head]) @ W_K.T)


def ov_circuit(head: int, n_heads: int = 1) -> FloatArray:
    """Return the matrix of "what to copy": a word y that is looked at with weight 1 adds y OV to who looks.

    Parameters
    ----------
    head : int
        Which head, 0 to n_heads − 1.
    n_heads : int
        One of `HEAD_CHOICES`.

    Returns
    -------
    ndarray, OV = W_V U_h, (4, 4)
        With U_h the head's two rows of `write_back_matrix`. All heads of this model copy the same.

    Raises
    ------
    ValueError
        If there is no such head among them, or `n_heads` is not one of the choices.

    References
    ----------
    Elhage et al. 2021, A Mathematical Framework for Transformer Circuits, "Splitting attention head terms into
    circuits" (there for column vectors, so transposed).

    Examples
    --------
    >>> ov_circuit(0)
    array([[1.  , 0.  , 0.  , 0.  ],
           [0.  , 1.  , 0.  , 0.  ],
           [0.  , 0.  , 0.  , 0.  ],
           [0.25, 0.25, 0.  , 0.  ]])
    """
    U = write_back_matrix(n_heads)  # (n_heads * 2, 4)
    _one_of("head", head, tuple(range(n_heads)))
    return np.asarray(W_V @ U[2 * head : 2 * head + 2])
