"""How to state formulas, inequalities, orders and laws, and how sentences are said."""

from __future__ import annotations

from typing import Any

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

LAWS = """\
from verification.notation import A, C, N, S, Sigma, eps, mu, trace
from verification.statements import Compare, Equal, FreeOf, claim

lyapunov = claim(
    "lyapunov", at="Eq. 5", title="The stationary covariance of SGD", of="sgd",
    printed=Equal(A * Sigma + Sigma * A, eps / S * C),
)
wider = claim(
    "wider", at="section 3", title="SGLD is too wide in every direction", of="sgld",
    read=Compare(Sigma, ">=", (N * A) ** -1),
)
damping = claim(
    "damping", at="section 4", title="Momentum leaves the energy alone", of="momentum",
    read=FreeOf(mu * trace(A * Sigma), mu),
)
"""

# a sentence, the statement, and what else the claim is given
SENTENCES = (
    ("a is equal to b", "Equal((a + b) ** 2, a**2 + b**2)", ""),
    ("a is at most b; is below b", "sqrt(a * b) <= (a + b) / 2", ""),
    ("and", "All(a < a + b, b < a + b)", ""),
    ("is equal up to a constant in a", "Equal(log(a * b), log(a), constant_in=(a,))", ""),
    ("where beta is below one half", "1 / (1 - beta) < 2", "given=(beta < half,)"),
    ("where h stands for 2/n", "h * n <= 2", "given=(Equal(h, 2 / n),)"),
    ("the numbers of a table", "a <= b / 2", 'numbers={a: "0.45", b: "0.82"}'),
    ("the larger of the two is at most their sum", "largest(a, b) <= a + b", ""),
    ("is of order h as h vanishes", 'Order(exp(h) - 1, "Theta", h, vanishing(h))', ""),
    ("is at most of order h", 'Order(sqrt(h), "O", h, vanishing(h))', ""),
    ("is 1 + h, up to order h squared", "expanded(exp(h), 1 + h, h**2, vanishing(h))", ""),
    (
        "the bias of LMC is at most so large, in every dimension",
        'W2(law("lmc"), TARGET) ** 2 <= 8 * d * gamma * (L / m) ** 3',
        "",
    ),
    ("approaches 1/a as n grows", 'Order(n / (1 + a * n), "~", 1 / a, growing(n))', ""),
    ("is small beside 1/n; is at least of its order", 'Order(1 / n**2, "o", 1 / n, growing(n))', ""),
    ("in the end grows with n", 'Moves(n - log(n), "grows", growing(n))', ""),
    ("has a finite sum over all steps", 'Adds(a / n**2, "to a finite sum", growing(n))', ""),
    ("is at most a constant times b, for all values", "Bounded(a * b, a**2 + b**2)", ""),
    ("is smallest at a = b", "Best(a, b, of=a / b + b / a)", ""),
    ("does not depend on a", "FreeOf((a**2 - b**2) / (a - b) - a, a)", ""),
    (
        "the slope of a function left open",
        "Equal(partial(f(x) ** 2, x), 2 * f(x) * partial(f(x), x))",
        "",
    ),
    (
        "is the marginal of a density",
        "Equal(log_integral(-f(x) - y**2 / 2, y), -f(x), constant_in=(x,))",
        "",
    ),
    ("at all states, for which parameters", "Equal(a * x, b * x)", "states=(x,)"),
    ("is proportional to the step", "FreeOf(Sigma / eps, eps)", 'of="sgd"'),
    ("the same, of the algorithm as it runs", "FreeOf(Sigma / eps, eps)", 'of="sgd", time="discrete"'),
    (
        "has the law of SGD at another step",
        'Equal(Sigma, elsewhere(Sigma, (eps, eps / mu), of="sgd"))',
        'of="momentum"',
    ),
    (
        "is divided by a number where the curvature is multiplied by it",
        "Equal(elsewhere(Sigma, (A, a * A)), Sigma / a)",
        'of="sgd"',
    ),
    ("solves the equation", "Equal(A * Sigma + Sigma * A, eps / S * C)", 'of="sgd"'),
    (
        "is isotropic where the noise is as the curvature",
        "Equal(Sigma, eps / (2 * S) * identity)",
        'of="sgd", given=(Equal(C, A),)',
    ),
    (
        "if and only if A and B B^T commute",
        "Iff(Equal(A * Sigma, Sigma * A), Equal(A * C, C * A))",
        'of="sgd"',
    ),
    ("with steps of S/N", "Equal(A * Sigma + Sigma * A, C / N)", 'of="sgd", given=(Equal(eps, S / N),)'),
    ("commute", "Equal(A * C, C * A)", ""),
    ("is positive definite", 'Compare(eps * C + identity, ">", 0)', ""),
    ("overestimates the posterior covariance", 'Compare(Sigma, ">=", (N * A) ** -1)', 'of="sgld"'),
    (
        "a step of SGD goes down the noisy gradient",
        "InLaw(Row(After(theta), theta - eps * NOISY_GRADIENT))",
        'of="sgd", time="discrete"',
    ),
    (
        "goes over into an Ornstein-Uhlenbeck process",
        "InLaw(Row(Change(theta), -eps * A * theta * dt + MatrixRoot(eps**2 / S * C) * dW))",
        'of="sgd"',
    ),
    (
        "two independent noises are one",
        'InLaw(Row(B * dW + H * dV, MatrixRoot(C + H**2) * dW, "~"))',
        "",
    ),
    ("the mean energy", "Equal(trace(A * Sigma), eps / (2 * S) * trace(C))", 'of="sgd"'),
)
_IMPORTS = """\
from verification.notation import A, B, C, H, N, S, Sigma, eps, identity, mu, trace
from verification.statements import *
from verification.theories.distances import TARGET, W2, law
from verification.theories.matrices.words import elsewhere
from verification.terms.stochastic import (
    NOISY_GRADIENT, After, Change, MatrixRoot, Row, dt, dV, dW, theta
)
a, b, h, d, gamma, m, L = letters("a b h d gamma m L")
(x, y), f = letters("x y", "real"), function("f")
beta, n, half = letter("beta", "fraction"), letter("n", "count"), number("1/2")
"""
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
        Heading(2, "Laws of samplers"),
        Paragraph(
            prose(
                "With `of=` a sampler is meant, ours by its name or one of yours; `Sigma` and the other"
                " moments are those of its stationary law on a quadratic loss, in any dimension."
                ' With `time="discrete"` it is the law of the algorithm as it runs.'
            )
        ),
        *command("sgtheory verify laws.py", {"laws.py": LAWS}),
        Heading(2, "From sentences to statements"),
        Paragraph("Each line was judged while this page was made; some are false, as sentences are."),
        Table(("sentence", "how to say it", "it is"), tuple(_judged(*row) for row in SENTENCES)),
        Heading(2, "Kinds of letters"),
        Table(("kind", "stands for"), tuple((prose(f"`{a}`"), prose(b)) for a, b in KINDS)),
        Heading(2, "What is said otherwise, so far"),
        Paragraph(
            "Some statements, of averages along a schedule of steps, of windows along one eigenvector"
            " and of ranges of stability, have classes of their own, which the files of the papers show."
        ),
    )


def _judged(sentence: str, statement: str, more: str) -> tuple[Any, Any, Any]:
    """A row of the table: the sentence, how it is said, and what the machine finds."""
    names: dict[str, Any] = {}
    exec(_IMPORTS, names)
    told = f"claim('k', at='', title='', read={statement}{', ' if more else ''}{more})"
    finding = eval(told, names).find()
    verdict = finding.verdict if finding.condition is None else f"{finding.verdict}: {finding.condition}"
    return prose(sentence), prose(f"`{statement}`" + (f" with `{more}`" if more else "")), prose(verdict)
