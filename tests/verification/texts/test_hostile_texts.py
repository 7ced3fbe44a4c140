"""Whatever a text has in it, each statement that is not understood is one line, and the rest goes on."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtheory.errors import UnusableInput
from verification.library import gather
from verification.texts.letters import Letters, row
from verification.texts.sentences import Sentence

TABLE = "| letter | kind |\n| --- | --- |\n| a, b, h | positive |\n| n | whole number |\n"
GOOD = "\n**Claim 99.** a < a + b.\n"
HOSTILE = {
    "deep brackets": "(" * 500 + "a" + ")" * 500 + " = b",
    "deep powers": "a" + "^(a" * 300 + ")" * 300 + " = b",
    "a huge number": "a = 1e999",
    "many digits": f"a = {'9' * 500}",
    "a long line": "a" + " + a" * 100_000 + " = b",
    "many terms": "a" + " + a" * 200 + " = b",
    "an unknown word": "a frobnicates b",
    "an unknown letter": "a = q",
    "an unbalanced sign": "$a = b",
    "an unbalanced bracket": "(a + b = a",
    "brackets crossed": "(a + [b) = a]",
    "a relation without a side": "a + b =",
    "nothing": "",
    "a formula by itself": "a + b",
    "two relations side by side": "$a = b$ $b = a$ = ",
    "an operator twice": "a */ b = a",
    "code": "__import__('os').system('touch here') = a",
    "a lambda": "(lambda: a)() = a",
    "control signs": "a = \x1b[2J b",
    "a command of LaTeX": r"$\input{/etc/passwd} = a$",
    "a command that is none": r"$\frobnicate{a} = b$",
    "one number over another in two ways": "1/2h = a",
    "a limit to a number": "a = O(b) as h -> 1",
    "a limit that is missing": "a = O(h n)",
    "a sampler that is missing": "the chain settles",
    "a mean of nothing": "E[a] = b",
    "a sum without a beginning": r"$\sum_{k} a = b$",
    "a fraction of nothing": r"$\frac{}{} = a$",
    "a word of too few parts": "max(a) = a",
    "hypotheses alone": "if a < b",
    "the same on both sides": "a = a",
    "an index of what is no sequence": "a_n = b",
    "division by a word": "a/if = b",
    "a huge power": "a^1000000 = b",
    "a tower of numbers": "a = 9^(9^9)",
    "a factor a thousand times": "(1 + a)^(10^3) = b",
    "a sum of too many terms": r"$\sum_{k=1}^{1000000000} k = a$",
}  # fmt: skip


@pytest.mark.parametrize(
    "body", ["(1 + a)^100 = b", "a = 10^(-30)", "a = 2^(n^n)", r"$\sum_{k=1}^{1000} k = a$"]
)
def test_powers_and_sums_of_stated_sizes_are_read(body, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text(f"{TABLE}\n**Claim 1.** {body}\n")
    found = gather((str(path),))
    assert not found.unread
    assert len(found.claims) == 1


@pytest.mark.parametrize("body", HOSTILE.values(), ids=list(HOSTILE))
def test_it_is_one_line_and_the_rest_is_read(body, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text(f"{TABLE}\n**Claim 1.** {body}\n{GOOD}")
    found = gather((str(path),))
    assert [c.key for c in found.claims] == ["claim99"]
    (error,) = found.unread
    line = str(error)
    assert "\n" not in line
    assert len(line) < 400
    assert line.isprintable()
    assert line.startswith("expected ")
    assert "notes.md, line 6, column" in line
    assert not (tmp_path / "here").exists()


LETTERS = Letters((row("a, b, h", "positive"), row("n", "whole number")))
PIECES = (
    "a", "b", "h", "n", "(", ")", "[", "]", "{", "}", "^", "_", "+", "-", "*", "/", "=", "<", "|",
    "||", "$", "$$",
    r"\frac", r"\sum", r"\int", r"\left", r"\right", "sum_{k=0}^n", "d/dh", "O(", "E[", "KL(", "if",
    "and", "for all",
    "as h -> 0", "if and only if", "does", "commutes with", "is", "argmin_h", "'", ",", ".", ";", "1",
    "2.5", "~", "->",
    "does not depend on", "vanishes", "is smallest at", "the covariance", "sgd", "settles",
    r"\text{if}", "T", "exp", "k",
)  # fmt: skip


def refusal(body, of=""):
    """What is said of a statement that is not understood; nothing of one that is."""
    try:
        Sentence(body, LETTERS, of).stated()
    except UnusableInput as error:
        return str(error)
    return ""


@given(st.lists(st.sampled_from(PIECES), max_size=14), st.sampled_from(["", "sgd", "momentum"]))
def test_any_pieces_in_any_order_are_a_statement_or_one_line(pieces, of):
    assert "\n" not in refusal(" ".join(pieces), of)


@given(st.text(max_size=60))
def test_any_signs_are_a_statement_or_one_line(body):
    assert refusal(body).startswith("expected ") or not refusal(body)


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\x00bad", b"no statement here", b"**Claim 1.**",
    b"| letter | kind |\n| a | bizarre |\n",
     b"```sampler\n", b"```sampler\nnonsense\n```\n", b"Sampler: nobody\n\n**Claim 1.** a = b\n"],
)  # fmt: skip
def test_a_text_without_statements_is_refused_in_a_line(content, tmp_path):
    path = tmp_path / "notes.md"
    path.write_bytes(content)
    found = gather((str(path),))
    assert not found.claims
    assert found.refused or found.unread
    assert all("\n" not in str(e) for e in (*found.refused, *found.unread))


def test_reading_a_text_needs_no_parser_until_there_is_one():
    code = "import sys, verification.library; print('lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
