"""What is quoted of the code stands there, and every link to a word of the reference finds it."""

import re

import pytest

from attention_core import attention
from attention_ui import prose
from attention_ui.source import RETURN, ROOT, SIGNS, formula_in_code, line_of

WORDS = re.findall(r"^###### (.+)$", prose.read("reference").parts["words"], re.M)
LINKS = [
    (chapter.slug, anchor)
    for chapter in prose.chapters()
    for part in chapter.parts.values()
    for anchor in re.findall(r"\]\(/?reference#([\w-]+)\)", part)
]


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


@pytest.mark.parametrize(("slug", "anchor"), LINKS)
def test_a_link_names_a_word_of_the_reference(slug: str, anchor: str) -> None:
    assert anchor in {re.sub(r"\W+", "-", word.lower()).strip("-") for word in WORDS}


def test_the_glossary_is_in_order_and_says_each_word_once() -> None:
    assert sorted(WORDS, key=str.casefold) == WORDS
    assert len(set(WORDS)) == len(WORDS) > 50
