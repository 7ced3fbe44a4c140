"""How to state formulas, inequalities, orders and laws, and how sentences are said."""

from __future__ import annotations

from functools import cache
from typing import Any

from reports.document import Block, Code, Heading, Paragraph, Table, prose
from reports.guide._examples import HYPOTHESES, IMPORTS, RELATIONS, SENTENCES, WORDS
from reports.guide._running import command, python
from sgtheory.registry import samplers

TITLE = "How to state anything"
SUMMARY = "Letters, words, relations and hypotheses; and a table from sentences to statements."

LETTERS = """\
from verification.statements import All, Equal, claim, exp, letter, letters, log, sqrt

a, b = letters("a b")  # positive numbers, unless another kind is named
beta = letter("beta", "fraction")  # between 0 and 1
n = letter("n", "count")  # 1, 2, 3, ...
x = letter("x", "real")
Equal(a + a, 2 * a)"""

CALL = """\
from verification.statements import Equal, claim, letters

a, b, c, t = letters("a b c t")
everything = claim(
    "eq5",
    at="Eq. 5, section 3",
    title="A bound",
    says="What is divided stays below one half.",
    read=a / t <= b,
    given=(a <= c, b >= 1),
    numbers={c: "0.45"},
    where=((t, 1 + c),),
    of="",
    time="continuous",
    sets=(),
    kinds=(),
    states=(),
    scope="",
)
everything.find().verdict"""

FIELDS = (
    ("the first", "its key: letters, digits, dots; one of its own in a file"),
    ("at", "where it stands in the text"),
    ("title", "a few words that name it"),
    ("says", "a sentence of yours; formulas may stand between dollar signs"),
    ("printed", "the statement, where this formula stands in the text"),
    ("read", "the statement, where a sentence is read so"),
    ("derived", "the statement, where it is your own consequence"),
    (
        "common",
        "the statement, where it is what is commonly said of a work (one of the four, and only one)",
    ),
    ("given", "hypotheses: relations, or words with Assumption(...)"),
    ("numbers", "what a table prints for letters"),
    (
        "where",
        "what letters of the text stand for: pairs of a letter and a formula, put in one by one",
    ),
    ("of", "the sampler of whose law it speaks; nothing where it speaks of none"),
    ("time", "continuous for the limit of small steps, discrete for the algorithm as it runs"),
    ("sets", "parameters of that sampler that are formulas: pairs as in where"),
    ("kinds", "what kind a letter of that sampler is: pairs of names"),
    ("states", "letters for all of which it is meant: conditions lie on others"),
    ("scope", "the part of what is said that it covers, where that is not all"),
)

OWN = """\
from sgtheory.declare import Card, Sampler, gradient, positive, state
from verification.statements import A, C, Equal, S, Sigma, claim

theta, rate = state("theta"), positive("rate")
OURS = Sampler(
    state=(theta,),
    updates=((theta, theta - 2 * rate * gradient(theta)),),
    convention=Card(loss="mean", drift="2 rate"),
)
ours = claim(
    "ours", at="Eq. 9", title="The covariance of ours", of=OURS,
    printed=Equal(A * Sigma + Sigma * A, rate / S * C),
)
"""

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

CONVENTIONS = (
    "Distances, and invariant laws about the mode, are those of Brosse et al.: U is minus the logarithm"
    " of the posterior, a prior's term and a sum over N examples, with mode theta*, and a step has the"
    " size gamma. `lmc` goes down the gradient of U by gamma and adds sqrt(2 gamma) times a standard"
    " normal vector; `sgld` does so with p examples in place of all, `sgldfp` subtracts their gradients"
    " at theta*, and `sgd` adds no noise.",
    '`W2(law("lmc"), TARGET)` is the Wasserstein distance of order two between the law at which the'
    ' chain settles and the posterior; `law("lmc", n)` is its law after n steps from theta*. In bounds'
    " U is m-strongly convex and gradients are L-Lipschitz, in d dimensions.",
    '`off("lmc")` is the mean of the settled law minus theta*, `bias("lmc")` that minus the mean of the'
    ' posterior, `second_about_mode("lmc")` its second moments about theta*. `STEPS` in the examples is'
    " the way `growing(N, (gamma, eta / N))`: more and more examples, with steps of eta/N.",
)
KINDS = (
    ("positive", "above zero (what is meant where no kind is named)"),
    ("nonnegative", "zero or above it: what is strict has to hold at zero too"),
    ("real", "any number"),
    ("count", "a whole number, at least one"),
    ("fraction", "between zero and one, without the ends"),
    ("up to one", "above zero, at most one"),
    ("unit", "from zero to one, with the ends"),
)


OPEN = (
    ("E[theta_k] and Cov(theta_k) after k steps", "cannot be said: laws are those of settled chains"),
    ("norms of vectors", "cannot be said: moments and traces can"),
    (
        "one step brings any two laws nearer in W_2, by a factor c, on every loss with curvatures from m"
        " to L",
        "laws from any starts have no letters: say it of the step with one noise, which is what it"
        " comes to, `max(1 - h m, h m - 1, 1 - h L, h L - 1) <= c`",
    ),
    (
        "W_2 of normal laws whose covariances do not commute; TV in two dimensions and more",
        "is said; the first is looked at in one dimension and in two, the other not at all",
    ),
    (
        "Sigma is above (N A)^-1 for a sampler with a velocity, or under C = A",
        "is said, and not decided: orders of matrices are proved for one state and any C",
    ),
    (
        "(1 - x)^k <= exp(-x k) for every k",
        "is said, and not decided: no lemma takes powers that are letters",
    ),
    (
        "KL(q || p) vanishes",
        "is said, and not decided: expansions are of one formula, not of determinants",
    ),
    (
        "a diffusion keeps a density; a step follows a process to second order",
        "are said in Python: Preserves, WeakOrder. A text can write the equation of the density out,"
        " with derivatives of any functions, as the shelf does for thermostats",
    ),
    (
        "odds of two wells; means of chains with two states that are not linear; other noises than"
        " normal ones; autocorrelations of such chains",
        "cannot be said: chain() is one line on a line, and its means are of one time",
    ),
    (
        "E_h[x^2] = E_pi[x^2] + O(h) for steps with a sign or a clip",
        "is said, and not decided: first terms are those of smooth steps",
    ),
    (
        "SVRG and SAGA have the law of full gradients, where all examples have one curvature",
        "cannot be decided: their steps within an epoch are not alike, and a table is no letter;"
        " unbiasedness and variances of their gradients can",
    ),
    (
        "a bound with errors of minibatches, or a sum, on its smaller side",
        "is said, and not decided unless both sides are equal",
    ),
    (
        "exp(-t n) is negligible beside 1/n as n grows; averages of exponentials as n grows",
        "is said, and not decided: orders are those of powers",
    ),
    (
        "the number of steps for an error, up to logarithms",
        "cannot be said: constants may hide, logarithms may not",
    ),
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
        Heading(2, "The whole call"),
        Paragraph(
            prose(
                "A claim is a statement with the place where it stands. Needed are a key, `at=`,"
                " `title=` and one of `printed=`, `read=`, `derived=` and `common=`; the rest may be"
                " left out."
            )
        ),
        *python(CALL, {}),
        Table(
            ("field", "what it is"), tuple((prose(f"`{name}`"), prose(told)) for name, told in FIELDS)
        ),
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
        Paragraph(
            prose(
                'A sampler of yours is a declaration, `of=OURS`, or where one is: `of="mine.py:OURS"`.'
                " Its parameters are letters of the statement. A `Step` is no sampler: `same` and"
                " `WeakOrder` take it in the statement, with states and noises of its own."
            )
        ),
        *command("sgtheory verify ours.py -v", {"ours.py": OWN}),
        Paragraph(
            prose(
                "Our samplers, their states and their letters; beside them every law has `A`, the"
                " Hessian of the mean loss at its mode, `C`, the covariance of the gradient of one"
                " example, the number of examples `N` and the size of a minibatch `S`."
            )
        ),
        Table(("of=", "states", "letters"), _samplers()),
        Heading(2, "From sentences to statements"),
        Paragraph("Each line was judged while this page was made; some are false, as sentences are."),
        Table(("sentence", "how to say it", "it is"), tuple(_judged(*row) for row in SENTENCES)),
        Heading(2, "Relations, and what joins them"),
        Table(
            ("relation", "says", "such as", "it is"),
            tuple((prose(f"`{name}`"), *_judged(*row)) for name, *row in RELATIONS),
        ),
        Heading(2, "Words"),
        Paragraph("What words are about, each with statements in which they occur."),
        *(Paragraph(prose(one)) for one in CONVENTIONS),
        Table(
            ("about", "such as", "it is"),
            tuple(_judged(about, *row) for about, rows in WORDS for row in rows),
        ),
        Heading(2, "Hypotheses"),
        Table(("hypothesis", "such as", "it is"), tuple(_judged(*row) for row in HYPOTHESES)),
        Heading(2, "What cannot be said or decided yet"),
        Paragraph("Statements of other works that the shelf lacks, and why."),
        Table(("such as", "which"), OPEN),
        Heading(2, "Kinds of letters"),
        Table(("kind", "stands for"), tuple((prose(f"`{a}`"), prose(b)) for a, b in KINDS)),
        Heading(2, "Where names come from"),
        Paragraph("The examples of the tables above are judged after these lines:"),
        Code(IMPORTS.rstrip(), "python"),
    )


def _samplers() -> tuple[tuple[Any, Any, Any], ...]:
    """A row for each of our samplers, read off its declaration."""
    return tuple(
        (
            prose(f"`{name}`"),
            prose(", ".join(f"`{state}`" for state in found.state)),
            prose(", ".join(f"`{letter}`" for letter in found.parameters)),
        )
        for name, found in samplers().items()
    )


@cache
def _names() -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(IMPORTS, names)
    return names


def stated(statement: str, more: str = "") -> Any:
    """A claim as an example of the tables says it."""
    return eval(f"claim('k', at='', title='', read={statement}{', ' if more else ''}{more})", _names())


def _judged(sentence: str, statement: str, more: str) -> tuple[Any, Any, Any]:
    """A row of the table: the sentence, how it is said, and what the machine finds."""
    finding = stated(statement, more).find()
    verdict = finding.verdict if finding.condition is None else f"{finding.verdict}: {finding.condition}"
    return prose(sentence), prose(f"`{statement}`" + (f" with `{more}`" if more else "")), prose(verdict)
