"""What every entry has, decided or not: where it stands, what is given, how it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Self

import sympy as sp

from sgtheory.declare import Family, Sampler
from sgtheory.errors import DeclarationError
from sgtheory.finding import suggest
from sgtheory.modepairs.quantities import TIMES
from sgtheory.notation.sentence import Sentence, formula_of, say, sentence
from sgtheory.setting import Setting
from verification.laws.quantities import setting_of
from verification.refuter.conditions import Condition
from verification.refuter.parameters import stated
from verification.refuter.places import MATRIX_KINDS, NUMBERS
from verification.terms import batchwords, term
from verification.terms.declared import BELOW_ONE, SEQUENCES, declared
from verification.terms.printed import Printed
from verification.terms.term import Letter, number
from verification.verdicts.verdict import Evidence, Finding
from verification.verdicts.wording import UNDECIDED

if TYPE_CHECKING:
    from verification.measuring.ensembles import Plan


# What a reader sees of a source: a formula that stands there; a sentence of it, as we read it; our own
# consequence, which it does not print.
_RESULT = re.compile(r"(Theorem|Corollary|Lemma|Proposition|Algorithm) \d+")
_EQUATION = re.compile(r"Eqs?\. \d+")
STANDS = ("printed", "read", "derived", "common")


def counted_first(ways: Iterable[str]) -> str:
    """What a count is of before all else: what is printed, or what comes next where nothing is.

    >>> counted_first(["derived", "printed"]), counted_first(["common", "a matter of degree"])
    ('printed', 'common')
    """
    return min(ways, key=(*STANDS, *UNDECIDED).index, default=STANDS[0])


_KINDS = {*MATRIX_KINDS, *NUMBERS, *term.KINDS, *batchwords.KINDS, *SEQUENCES}
_KINDS |= {"sequence", "random sequence", "index"}


@dataclass(frozen=True)
class Assumption:
    """A hypothesis that the paper states in words: it chose the model, and is kept for the record.

    ``small`` names letters that the paper takes to zero under it, the first one first: what is right to
    leading order in one of them is then right as printed.
    """

    words: str
    small: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", sentence(self.words))


# A hypothesis is data: prose that chose the model, or a condition that can be imposed and dropped,
# which may be written as a relation between parameters, ``beta < 1``.
Hypothesis = Assumption | Condition


def words_of(hypothesis: Any) -> Sentence:
    """A hypothesis in words.

    >>> from sympy.abc import x
    >>> words_of(Assumption("the step is small")), words_of(x < 1)
    ('the step is small', 'x < 1')
    """
    words: Sentence | None = getattr(hypothesis, "words", None)
    if isinstance(hypothesis, sp.Eq):
        words = say("${} = {}$", *hypothesis.args)
    if words is None:
        written = hasattr(hypothesis, "latex")
        words = Sentence(formula_of(hypothesis)) if written else say("${}$", str(hypothesis))
    return words


def small_letters(claim: Any) -> tuple[str, ...]:
    """The letters that what is given takes to zero in words, the first one first."""
    return tuple(dict.fromkeys(name for h in claim.given for name in getattr(h, "small", ())))


def given_words(claim: Any) -> list[Sentence]:
    """All that is given, as a reader sees it: hypotheses, what letters stand for, and their kinds."""
    letters = (a for one in (*claim.printed, *claim.given) for a in getattr(one, "letters", ()))
    sequences = [(a.name, a.kind) for a in letters if getattr(a, "kind", "") in SEQUENCES]
    set_here = getattr(claim, "kinds", ())
    own = set_here if isinstance(set_here, tuple) else ()  # a definition's are units
    below = [one for one in claim.given if _is_below_one(one) and (one.left.name, "unit") in own]
    less = {one.left.name for one in below}  # told of the letter once, with its kind
    kinds = ((a, BELOW_ONE if a in less else kind) for a, kind in (*own, *sequences))
    given = (one for one in (*claim.given, *claim.own_hypotheses) if one not in below)
    found = [text for text in map(words_of, (one for one in given if not _names(one))) if text]
    return [*dict.fromkeys((*found, *_put_in(claim), *declared(kinds)))]


def _names(given: Any) -> bool:
    """Whether it only gives a value the name that it is printed with, V[0] = V_0."""
    if getattr(given, "relation", "") != "=":
        return False
    left, right = (formula_of(side).text for side in (given.left, given.right))
    return re.sub(r"\[(\w+)\]$", r"_\1", left) == right


def _is_below_one(given: Any) -> bool:
    is_below = getattr(given, "relation", "") == "<" and given.right == number(1)
    return is_below and isinstance(given.left, Letter)


def _put_in(claim: Any) -> Iterator[Sentence]:
    """What letters of the problem are set to, and what letters of the source stand for."""
    for letter, value in getattr(claim, "sets", ()):
        yield say("{} is {}", letter, value)
    for letter, value in getattr(claim, "where", ()):
        inside = letter in getattr(value, "letters", ())  # as where a gain has the step in it
        pattern = "the printed {} is the sampler's {}" if inside else "{} stands for {}"
        yield say(pattern, letter, value)


@dataclass(frozen=True)
class Claim:
    """A numbered statement of a paper, encoded as printed.

    ``says`` retells it in one sentence of ours. ``given`` are the hypotheses that the paper
    states; a hypothesis that it does not state is for the machine to find.
    """

    key: str  # the part of the id after the paper's name
    at: str  # where in the paper
    title: str
    says: str
    of: Any = ""  # the sampler, where it is about one: its name, or its declaration
    printed: tuple[Printed, ...] = ()
    given: tuple[Hypothesis, ...] = ()
    time: str = "continuous"
    paper: str = ""
    source: str = ""  # the plain file that it is in, where it is in no package
    stands: str = "printed"  # one of ``STANDS``
    scope: str = ""  # of which part of what is said this is; empty where it is all of it

    def __post_init__(self) -> None:
        """Formulas stand between dollar signs in words."""
        for name in ("at", "title", "says"):
            object.__setattr__(self, name, sentence(getattr(self, name)))

    @property
    def drawn_by(self) -> str:
        """What random places are drawn by: in a file of yours what is said, whatever it is called.

        Entries of ours keep their names, by which their kept verdicts were found.
        """
        if not self.source:
            return self.id
        return "; ".join(map(str, (*(one.text() for one in self.printed), *map(words_of, self.given))))

    def __getstate__(self) -> dict[str, Any]:
        """What is declared: what was worked out from it need not travel, and may not be able to."""
        declared = {f.name for f in fields(self)}
        return {name: value for name, value in self.__dict__.items() if name in declared}

    @property
    def id(self) -> str:
        """Such as ``mandt2017.eq13``."""
        return f"{self.paper}.{self.key}"

    @property
    def heading(self) -> str:
        """What a script says on its first line; a line break there would make the rest of it code."""
        return " ".join(f"{self.id}, {self.at}: {self.title}".split())

    @property
    def is_result(self) -> bool:
        """Whether it is a numbered result of its source, and no step of a proof."""
        return _RESULT.match(self.at) is not None and "proof" not in self.at

    @property
    def prominence(self) -> int:
        """0 of a numbered result, 1 of a numbered equation, 2 of anything else."""
        return 0 if self.is_result else 1 if _EQUATION.fullmatch(self.at) else 2

    @property
    def setting(self) -> Setting:
        """The sampler on the quadratic model."""
        return setting_of(self.of)

    @property
    def whose(self) -> Any:
        """The sampler that it names, if any."""
        return self.of

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The hypotheses that a machine can impose, and what a sampler of a file says of its letters."""
        given = [h for h in self.given if not hasattr(h, "relations")]  # those are read as statements
        return stated((*given, *self.own_hypotheses))

    @property
    def own_hypotheses(self) -> tuple[Any, ...]:
        """What a sampler of a file says of its letters, beside what is given."""
        own = () if isinstance(self.of, str) else _own_hypotheses(self.of)
        return tuple(h for h in own if h not in self.given)

    def without(self, hypothesis: Hypothesis) -> Self:
        """The same statement with one hypothesis fewer."""
        return replace(self, given=tuple(h for h in self.given if h != hypothesis))

    def under(self, *hypotheses: Hypothesis) -> Self:
        """The same statement with more hypotheses."""
        return replace(self, given=(*self.given, *hypotheses))

    def printed_latex(self) -> list[str]:
        """The printed relations in LaTeX."""
        return [p.latex() for p in self.printed]

    def has_discrete_reading(self) -> bool:
        """Whether the statement can also be held against the discrete algorithm."""
        return self.time == "continuous" and bool(self.of)

    def measured(self, finding: Finding, plan: Plan) -> tuple[Finding, Evidence | None]:
        """What an ensemble of the sampler shows, and the finding, which may be taken from it."""
        from verification.measuring.ensembles import measure

        return finding, measure(self, finding, plan) if self.of else None

    @property
    def predicted(self) -> Any:
        """What gives the position's covariance on a problem of a sampler; None where nothing does."""
        return None

    def printed_covariance(self, problem: Any) -> Any:
        """The position's covariance that the printed statement predicts, or None where it does not."""
        return None if self.predicted is None else self.predicted(problem, self.of)

    def printed_params(self, problem: Any) -> dict[str, Any] | None:
        """The parameters that are printed, on a problem; None where the statement is about all."""
        return None


def refuse_malformed(claim: Claim) -> None:
    """Refuse a claim that says nothing, or not how it stands in its source.

    >>> from sympy.abc import x
    >>> refuse_malformed(Claim("a", "Eq. 1", "A number", "", printed=(Printed(x, 1),)))
    >>> refuse_malformed(Claim("b", "Eq. 2", "A sum", "", printed=(Printed(x + x, 2 * x),)))
    Traceback (most recent call last):
    sgtheory.errors.DeclarationError: expected two sides of b that are written differently; ...
    """
    if claim.stands not in STANDS:
        raise DeclarationError(
            f"stands of {claim.key} to be one of {', '.join(STANDS)}", repr(claim.stands), "choose one"
        )
    if claim.time not in TIMES:
        raise DeclarationError(
            f"time of {claim.key} to be {' or '.join(TIMES)}",
            repr(claim.time),
            suggest.remedy(str(claim.time), TIMES, "choose one"),
        )
    if not isinstance(claim.of, str | Sampler | Family):
        raise DeclarationError(
            f"of in {claim.key} to be a sampler or the name of one", repr(claim.of), "name the sampler"
        )
    kinds = getattr(claim, "kinds", ())
    for name, kind in kinds if isinstance(kinds, tuple) else ():  # else those of a definition: units
        if kind not in _KINDS:
            told = f"the kind of {name} in {claim.key} to be one of {', '.join(sorted(_KINDS))}"
            raise DeclarationError(told, repr(kind), suggest.remedy(str(kind), _KINDS, "choose one"))
    for one in claim.printed:
        if getattr(one, "is_one_expression", False):
            raise DeclarationError(
                f"two sides of {claim.key} that are written differently",
                one.text(),
                "SymPy makes one of both as they are built: state it with claim() and letters() of"
                " verification.statements, which keep them as printed",
            )


@cache
def _own_hypotheses(sampler: Any) -> tuple[Any, ...]:
    """Relations that a declaration states between its parameters."""
    known = {*sampler.parameters, *(letter for letter, _ in sampler.where)}
    return tuple(h for h in sampler.given if getattr(h, "free_symbols", set()) <= known)
