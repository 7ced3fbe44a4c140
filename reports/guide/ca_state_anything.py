"""How to state a formula or an inequality between numbers, and how sentences are said."""

from __future__ import annotations

from reports.document import Block, Heading, Paragraph, Table, prose
from reports.guide._running import command, python

TITLE = "How to state anything"
SUMMARY = "Letters, words, relations and hypotheses; and a table from sentences to statements."

LETTERS = """\
from verification.statements import All, Equal, claim, exp, letter, letters, log, sqrt

a, b = letters("a b")  # positive numbers, unless another kind is named
beta = letter("beta", "fraction")  # between 0 and 1
n = letter("n", "count")  # 1, 2, 3, ...
x = letter("x", "real")
Equal(a + a, 2 * a)"""

FILE = """\
from verification.statements import Equal, claim, letter, letters, sqrt

a, b, lam, eps = letters("a b lambda eps")
beta = letter("beta", "fraction")

means = claim(
    "means", at="Lemma 1", title="Arithmetic and geometric mean", read=sqrt(a * b) <= (a + b) / 2
)
series = claim(
    "series", at="Eq. 2", title="A geometric sum", printed=Equal(1 / (1 - beta), 1 + beta + beta**2)
)
contracts = claim(
    "contracts",
    at="Lemma 3",
    title="A gradient step contracts",
    printed=(1 - eps * lam) ** 2 <= 1,
)
table = claim(
    "table",
    at="Table 1",
    title="Ours is at most half of theirs",
    read=a <= b / 2,
    numbers={a: "0.45", b: "0.82"},
)
"""

SENTENCES = (
    ("a formula", "Equal(left, right)"),
    ("is at most, is below", "left <= right, left < right"),
    ("and", "All(first, second)"),
    ("where beta is below one", "given=(beta < 1,)"),
    ("where h stands for 2/n", "given=(Equal(h, 2 / n),)"),
    ("for x between 0 and 1", 'letter("x", "fraction")'),
    ("for every whole number n", 'letter("n", "count")'),
    ("a number of a table, a setting", 'numbers={eps: "0.003", T: "1000"}'),
    ("does not depend on x", "Equal(f, f.put({x: y})) with another letter y"),
    ("grows with x", "f < f.put({x: x + y})"),
    ("is proportional to x, with the factor c", "Equal(f, c * x)"),
    ("the larger of two", "largest(a, b)"),
    ("is of order x, is at most of order x, as x vanishes", 'Order(f, "Theta", x, vanishing(x)), "O"'),
    ("approaches g as n grows", 'Order(f, "~", g, growing(n))'),
    ("grows as x becomes small, h being x^2", 'Moves(f, "grows", vanishing(x, (h, x**2)))'),
)
KINDS = (
    ("positive", "above zero (what is meant where no kind is named)"),
    ("real", "any number"),
    ("count", "a whole number, at least one"),
    ("fraction", "between zero and one, without the ends"),
    ("up to one", "above zero, at most one"),
    ("unit", "from zero to one, with the ends"),
)


def blocks() -> tuple[Block, ...]:
    """What there is, a file that is judged, and the table of sentences."""
    names: dict[str, object] = {}
    return (
        Paragraph(
            "A statement is made of letters, words and relations. It is kept as it is written:"
            " nothing is simplified, and no line of it says whether it is true."
        ),
        *python(LETTERS, names),
        Heading(2, "A file of claims"),
        Paragraph(
            prose(
                "Say `printed=` for a formula that stands in the text, `read=` for a sentence as you"
                " read it, and `derived=` for a consequence that the text does not print."
            )
        ),
        *command("sgtheory verify notes.py -v", {"notes.py": FILE}),
        Paragraph(
            "Lemma 3 needs a condition that it does not state: the weakest one that can be proved is"
            " shown. What is false comes with numbers, and with a script of a few lines that shows it."
        ),
        Heading(2, "From sentences to statements"),
        Table(("sentence", "how to say it"), tuple((prose(a), prose(f"`{b}`")) for a, b in SENTENCES)),
        Heading(2, "Kinds of letters"),
        Table(("kind", "stands for"), tuple((prose(f"`{a}`"), prose(b)) for a, b in KINDS)),
        Heading(2, "What is said otherwise, so far"),
        Paragraph(
            "Stationary laws and equations between matrices have classes of their own:"
            " see the page before this one, and `sgtheory new claim`."
        ),
    )
