"""What is quoted of the code stands there."""

import pytest

from attention_core import attention
from attention_ui.source import RETURN, ROOT, SIGNS, formula_in_code, line_of


@pytest.mark.parametrize(("sign", "function", "name", "which"), SIGNS, ids=lambda x: str(x)[:30])
def test_a_quoted_line_stands_where_it_is_said_to(sign: str, function: object, name: str, which: int) -> None:
    assert callable(function)
    line = line_of(function, name, which)
    text = (ROOT / line.file).read_text("utf-8").splitlines()
    assert line.code.startswith(text[line.number - 1].split("#")[0].strip()[:40])
    assert line.code.startswith("return " if name == RETURN else name)
    assert line.code in formula_in_code()


def test_a_line_that_is_gone_is_an_error() -> None:
    with pytest.raises(LookupError, match="0 statements for 'nothing'"):
        line_of(attention, "nothing")


def test_the_formula_is_all_there() -> None:
    for piece in ("Q @ np.swapaxes", "1 / sqrt(Q.shape[-1])", "softmax(logits)", "-np.inf", "weights @"):
        assert piece in formula_in_code()
