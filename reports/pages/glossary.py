"""Words: what these pages call things, what the verdicts mean, and what others call the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.document import Block, Heading, Link, Page, Paragraph
from verification.experiments.record import MEANINGS as OF_EXPERIMENTS

SLUG = "words"


@dataclass(frozen=True)
class Term:
    """A word of these pages, what it means, and what others call the same; search takes all for one."""

    word: str
    meaning: str
    also: tuple[str, ...] = ()


VERDICTS = (
    Term("proved", "a symbolic proof, re-checked by an independent exact evaluator"),
    Term("proved-if", "true under a condition that the paper does not state; the condition is given"),
    Term("limit-only", "true to leading order; the order of the gap and its first term are given"),
    Term("refuted", "an exact counterexample, and the corrected statement where there is one"),
    Term("confirmed", "no proof, but measured to agree within a stated precision"),
    Term("inconclusive", "neither; it is said what would decide"),
    Term("a matter of degree", "the sentence prints no number; what it is about is shown in numbers"),
    Term("definition", "fixes notation; checked for consistency"),
    Term("not-mathematical", "an attribution, a picture, a judgement, the time of some hardware"),
)

CHECKING = (
    Term(
        "random exact places",
        "small problems in exact numbers, such as fractions, at which the two sides of a statement are"
        " computed and compared; this route knows nothing of the proof, and the first place that"
        " violates the statement ends it",
    ),
    Term(
        "wrong twin",
        "the same statement or law made wrong on purpose, by a factor 2 or a sign; a check that does not"
        " reject it would show nothing",
        ("corrupted", "mutant", "mutation"),
    ),
    Term(
        "counterexample",
        "exact numbers at which a statement is false, as small as were found",
        ("smallest numbers",),
    ),
    Term(
        "false alarm",
        "the chance that a measurement contradicts what is true; all tests of a run share one budget",
        ("false positive", "significance", "p-value"),
    ),
    Term(
        "conforms",
        "said of an implementation whose chains have the law that they should have",
        ("check", "test", "correct implementation"),
    ),
)  # fmt: skip

SAMPLING = (
    Term(
        "step size",
        "how far one step goes; written ε, and γ or h in some papers",
        ("learning rate", "stepsize", "lr", "eps", "epsilon"),
    ),
    Term(
        "batch size",
        "how many examples a minibatch has; written S, and p in some papers",
        ("minibatch", "mini-batch", "batchsize"),
    ),
    Term(
        "momentum",
        "an old velocity that is damped and added to each step",
        ("heavy ball", "Polyak", "velocity"),
    ),
    Term("friction", "how fast a velocity is damped", ("damping", "damp")),
    Term(
        "preconditioner",
        "a matrix that a gradient is multiplied by before the step",
        ("gain", "metric", "mass matrix", "preconditioning"),
    ),
    Term("curvature", "the Hessian of the loss, written A", ("hessian",)),
    Term(
        "gradient noise",
        "the difference between a minibatch's gradient and the whole one; the covariance of the gradient"
        " of one example is written C",
        ("stochastic gradient noise",),
    ),
    Term(
        "law",
        "the distribution of the numbers that an algorithm writes",
        ("distribution",),
    ),
    Term(
        "stationary",
        "of a law that a step leaves as it is: where long chains end",
        ("stationary distribution", "invariant", "equilibrium", "steady state"),
    ),
    Term(
        "posterior",
        "the law that a sampler is meant to have; its covariance for a quadratic loss is the inverse of"
        " N A",
        ("target",),
    ),
    Term(
        "discrete reading",
        "a statement that is printed for the limit in continuous time, held against the algorithm that"
        " takes steps",
        ("finite step", "discretization", "discretisation"),
    ),
    Term(
        "continuous time",
        "the limit of small steps, in which an algorithm becomes a stochastic differential equation",
        ("SDE", "stochastic differential equation", "Ornstein-Uhlenbeck", "diffusion"),
    ),
    Term(
        "stability",
        "that chains do not run away: below a largest step",
        ("divergence", "diverges", "blow up", "largest step", "maximal step"),
    ),
    Term(
        "effective samples",
        "how many independent draws would tell a mean as well as a chain does",
        ("effective sample size", "ESS"),
    ),
    Term(
        "autocorrelation time",
        "how many steps of a chain are worth one independent draw",
        ("mixing time", "relaxation time", "IACT", "tau"),
    ),
    Term(
        "averaging",
        "the mean over a window of a chain's last steps",
        ("iterate averaging", "Polyak-Ruppert", "SWA", "SWAG", "IASG"),
    ),
    Term(
        "control variate",
        "a part of a gradient that is known exactly and taken off a minibatch's, to leave less noise",
        ("variance reduction", "fixed point", "SVRG", "SAGA"),
    ),
    Term(
        "thermostat",
        "a friction that moves by itself until the temperature is right",
        ("Nosé-Hoover", "SGNHT"),
    ),
    Term("temperature", "by what the injected noise is scaled", ("cold posterior", "annealing")),
    Term(
        "langevin",
        "a gradient step with injected noise",
        ("SGLD", "LMC", "ULA", "unadjusted Langevin", "stochastic gradient Langevin dynamics"),
    ),
    Term(
        "KL divergence",
        "how far one law is from another: the mean of the logarithm of their ratio",
        ("Kullback-Leibler", "KL", "relative entropy"),
    ),
)  # fmt: skip


def synonyms() -> tuple[tuple[str, ...], ...]:
    """What search takes for the same."""
    terms = (*CHECKING, *SAMPLING)
    return tuple(tuple(map(str.lower, (term.word, *term.also))) for term in terms if term.also)


def words_page() -> Page:
    """All words, each a place that a link and the search box find."""
    figures = tuple(Term(word, meaning) for word, meaning in OF_EXPERIMENTS.items())
    groups = (
        ("Verdicts on statements", "verdict", VERDICTS),
        ("Verdicts on figures and tables", "figure", figures),
        ("How statements are checked", "word", CHECKING),
        ("What samplers are spoken of with", "word", SAMPLING),
    )
    blocks: list[Block] = [
        Paragraph("What stands behind “also” is taken for the same by the search box of every page.")
    ]
    for title, kind, terms in groups:
        blocks.append(Heading(2, title))
        for term in terms:
            blocks += _told(term, kind)
    return Page(
        slug=SLUG,
        title="Words",
        blocks=tuple(blocks),
        kind="words",
        summary="What these pages call things, and what others call the same.",
        trail=(Link("All papers", "index"),),
    )


def _told(term: Term, kind: str) -> Sequence[Block]:
    also = f" Also: {', '.join(term.also)}." if term.also else ""
    meaning = f"{term.meaning[0].upper()}{term.meaning[1:]}.{also}"
    anchor = f"{kind}-{term.word.lower().replace(' ', '-')}"
    return Heading(3, term.word[0].upper() + term.word[1:], anchor), Paragraph(meaning)
