"""What each letter of a text stands for: its table, the letters of its sampler, those of the house."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from sgtheory import registry
from sgtheory.declare import MatrixName
from verification import notation
from verification.statements import elsewhere
from verification.terms.term import Applied, Letter, Term, term
from verification.texts.unclear import Unclear
from verification.theories.chains.words import Chain

# how a kind is said, in lower case and without articles
KINDS = {
    "positive": "positive", "positive number": "positive", "> 0": "positive", "number": "real",
    "nonnegative": "nonnegative", "non-negative": "nonnegative", "not negative": "nonnegative",
    "nonnegative number": "nonnegative", "at least 0": "nonnegative",
    "real": "real", "real number": "real", "any number": "real", "whole number": "count",
    "count": "count",
    "whole": "count", "natural number": "count", "positive integer": "count",
    "whole number, at least 1": "count",
    "fraction": "fraction", "in (0, 1)": "fraction", "between 0 and 1": "fraction",
    "up to one": "up to one",
    "in (0, 1]": "up to one", "unit": "unit", "in [0, 1]": "unit", "within one": "within one",
    "in [-1, 1]": "within one", "function": "function", "positive function": "positive function",
    "sequence": "sequence", "positive sequence": "positive sequence",
    "bounded sequence": "bounded sequence",
    "decreasing sequence": "decreasing sequence", "robbins-monro sequence": "Robbins-Monro sequence",
    "random sequence": "random sequence", "noises": "noises", "signs": "signs",
    "differences": "differences",
    "sequence of independent standard normal numbers": "noises", "column of each": "column of each",
    "vector of each example": "column of each", "number of each": "number of each",
    "number of each example": "number of each", "variable": "variable", "index": "index",
    "step number": "index",
    "matrix": "any", "square matrix": "any", "symmetric matrix": "symmetric",
    "symmetric positive definite matrix": "positive definite",
    "positive definite matrix": "positive definite",
    "positive definite": "positive definite", "spd": "positive definite",
    "spd matrix": "positive definite",
    **dict.fromkeys(("positive semidefinite matrix", "symmetric positive semidefinite matrix",
    "positive semidefinite", "psd", "psd matrix"), "positive semidefinite"),
    "diagonal matrix": "diagonal",
}  # fmt: skip
MATRICES = ("any", "symmetric", "positive definite", "positive semidefinite", "diagonal")
SEQUENCES = (*(kind for kind in KINDS.values() if "sequence" in kind), "noises", "signs", "differences")
STATE = "state"  # what is not a letter of a formula: its moments are
FUNCTIONS = ("function", "positive function")
# what a letter may be of the problem and of its sampler
ROLES = {
    "curvature": "A", "hessian": "A", "hessian of the loss": "A", "curvature of the loss": "A",
    "noise covariance": "C", "gradient noise covariance": "C", "covariance of the gradient noise": "C",
    "stationary covariance": "Sigma", "batch size": "S", "minibatch size": "S",
    "number of examples": "N",
    "number of data": "N", "number of data points": "N", "dimension": "D", "step size": "step",
    "step": "step", "learning rate": "step", "preconditioner": "H",
    "eigenvalue of the curvature": "lambda",
    "eigenvalue of a": "lambda", "largest eigenvalue of a": "largest",
    "smallest eigenvalue of a": "smallest",
    "largest eigenvalue of curvature": "largest", "smallest eigenvalue of curvature": "smallest",
    "smallest and largest eigenvalue of a": "both", "smallest and largest eigenvalues of a": "both",
}  # fmt: skip
_HOUSE = {name: getattr(notation, name) for name in ("A", "C", "N", "S", "D")}
_OF_LAWS = {"Sigma": notation.Sigma, "H": notation.H, "lambda": Letter("lambda")}
_FACTORS = ("B", "E")  # of noise, in our laws: a text's own matrix of that name is another
_SAID = {
    "A": "the curvature of the loss", "C": "the covariance of the gradient noise",
    "Sigma": "the stationary covariance", "S": "the size of a minibatch", "N": "the number of examples",
    "D": "the dimension", "H": "the preconditioner", "I": "the identity",
    "lambda": "an eigenvalue of the curvature, and so each",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A line of the table: letters, their kind, and what they are called."""

    names: tuple[str, ...]
    kind: str  # "" where only what it is called is said
    role: str
    words: str
    bounds: tuple[str, ...] = ()  # relations that its kind says beside: beta < 1
    formula: str = ""  # of a density

    def role_of(self, name: str) -> str:
        """Of one of its letters: the first alone is the step, say, beside which others are letters."""
        shared = self.role in ("lambda", "smallest", "largest", "both")
        return self.role if shared or name == self.names[0] else ""


@dataclass(frozen=True)
class Meaning:
    """What a letter stands for: a term, and how that is said."""

    term: Any
    said: str
    kind: str = ""


def canonical(name: str) -> str:
    r"""A letter's name as programs have it.

    >>> canonical(r"\Sigma"), canonical("\\epsilon"), canonical("σ"), canonical(r"\theta_{0}")
    ('Sigma', 'eps', 'sigma', 'theta_0')
    """
    import unicodedata

    if len(name) == 1 and not name.isascii():
        told = unicodedata.name(name, "").removeprefix("GREEK ")
        size, _, letter = told.partition(" LETTER ")
        name = letter.lower().capitalize() if size == "CAPITAL" else letter.lower()
        name = {"lamda": "lambda", "Lamda": "Lambda"}.get(name, name)
    name = name.lstrip("\\").replace("{", "").replace("}", "")
    first, _, index = name.partition("_")
    first = {"epsilon": "eps", "varepsilon": "eps", "vartheta": "theta", "varphi": "phi"}.get(
        first, first
    )
    return f"{first}_{index}" if index else first


_NAME = re.compile(r"\\?[A-Za-z]+(?:_(?:\{[A-Za-z0-9]+\}|[A-Za-z0-9]+))?|[Α-ω]")


def row(names: str, kind: str, words: str = "") -> Row | None:
    """A line of a table of letters; None where the first cell has other things."""
    listed = [n.strip(" $`") for n in re.split(r"[,\s]+", names.replace("$", " ")) if n.strip(" $`")]
    if not listed or not all(_NAME.fullmatch(n) for n in listed):
        return None
    if dense := _DENSITY.fullmatch(kind.strip()):
        return Row(tuple(map(canonical, listed)), "density", "", words or kind, (), dense[1])
    folded, role = (re.sub(r"\b(an?|the) ", "", part.strip(" $`.").lower()) for part in (kind, words))
    known, bounds = KINDS.get(folded, ""), tuple[str, ...]()
    if not known:
        known, bounds = _bounded(folded, listed)
    if not known and folded in ROLES and not role:
        folded, role = "", folded
    if folded and not known:
        near = ", ".join(sorted(set(KINDS)))
        told = "choose one, or say a range: in [0, 1), at least 2, above 1/2"
        raise Unclear(f"a kind of letters ({near})", kind.strip(), told)
    letters = tuple(map(canonical, listed))
    return Row(letters, known, ROLES.get(role, ""), (words or kind).strip(), bounds)


_DENSITY = re.compile(
    r"(?:an? )?density\s*(?:proportional to|∝|\\propto)?\s*\$?([^$]+)\$?", re.IGNORECASE
)
_END = r"-?\d+(?:/\d+)?(?:\.\d+)?"
_RANGE = re.compile(rf"(?:in |∈ )?([\[(])\s*({_END})\s*,\s*({_END}|oo|infinity|\\infty)\s*([\])])")
_ABOVE = re.compile(
    rf"(?:(whole number|number|real|count),?\s*)?(at least|at most|above|below|>=|<=|>|<|≥|≤)\s*({_END})"
)
_AS_SIGNS = {"at least": ">=", "at most": "<=", "above": ">", "below": "<", "≥": ">=", "≤": "<="}


def _bounded(said: str, names: list[str]) -> tuple[str, tuple[str, ...]]:
    """The kind of letters that lie in a range, and what more is given of them; empty of no range.

    >>> _bounded("in [0, 1)", ["beta"]), _bounded("whole number, at least 2", ["N"])
    (('unit', ('beta < 1',)), ('count', ('N >= 2',)))
    >>> _bounded("in (1/2, 2]", ["s"]), _bounded("in [0, 3]", ["s"])
    (('positive', ('s > 1/2', 's <= 2')), ('nonnegative', ('s <= 3',)))
    """
    if found := _RANGE.fullmatch(said):
        opens, low, high, closes = found.groups()
        bounds = [("> " if opens == "(" else ">= ") + low]
        endless = high.lstrip("\\") in ("oo", "infinity", "infty")
        bounds += [] if endless else [("< " if closes == ")" else "<= ") + high]
    elif found := _ABOVE.fullmatch(said):
        bounds = [f"{_AS_SIGNS.get(found[2], found[2])} {found[3]}"]
        if found[1] in ("whole number", "count"):
            return "count", tuple(f"{n} {bound}" for n in names for bound in bounds)
    else:
        return "", ()
    within: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {
        (">= 0", "< 1"): ("unit", ("< 1",)),
        (">= 0", "<= 1"): ("unit", ()),
    }
    kind, rest = within.get(tuple(bounds), ("", tuple(bounds)))
    if not kind:
        first = bounds[0].partition(" ")
        value = Fraction(first[2])
        kind = "positive" if first[0] in (">", ">=") and (value > 0 or bounds[0] == "> 0") else "real"
        kind = "nonnegative" if bounds[0] == ">= 0" else kind
        rest = tuple(b for b in rest if b not in ("> 0", ">= 0"))
    return kind, tuple(f"{n} {bound}" for n in names for bound in rest)


@dataclass(frozen=True)
class Letters:
    """The letters that a statement may have, by name, in the light of its sampler."""

    rows: tuple[Row, ...] = ()
    sampler: Any = ""
    named: tuple[tuple[str, Any], ...] = ()  # the samplers that the text declares, by name
    bound: frozenset[tuple[str, str]] = frozenset()  # what sums and integrals run over
    used: dict[str, Meaning] = field(default_factory=dict, compare=False)

    def of(self, sampler: Any) -> Letters:
        """The same for a sampler."""
        return replace(self, sampler=sampler, used={})

    def binding(self, names: Iterable[tuple[str, str]]) -> Letters:
        """The same, with letters over which something runs."""
        return replace(self, bound=frozenset(names), used={})

    @cached_property
    def all(self) -> Mapping[str, Meaning]:
        """Every letter that may occur."""
        found = {name: Meaning(term(s), _SAID[name]) for name, s in _HOUSE.items()}
        found["I"] = Meaning(term(notation.identity), _SAID["I"])
        own: dict[str, Meaning] = {}
        if isinstance(self.sampler, Chain):
            moved = (self.sampler.place, *(w.letters[0] for w in self.sampler.noises))
            own = {a.name: Meaning(a, f"the place or a noise of {self.sampler.name}") for a in moved}
        elif self.sampler:
            found |= {name: Meaning(term(s), _SAID[name]) for name, s in _OF_LAWS.items()}
            for state in (*self.states, *(n for n, own in self.aliases.items() if own in self.states)):
                own_name = self.aliases.get(state, state)
                found[state] = Meaning(Letter(own_name, STATE), f"a state of {self.sampler}")
            for one in self.parameters:
                found[one.name] = Meaning(_parameter(one), f"the parameter {one.name} of {self.sampler}")
            own_laws = (n for n, one in self.named if not isinstance(one, Chain))
            for name in (*registry.names("samplers"), *own_laws):
                said = f"the stationary covariance of {name}"
                found[f"Sigma_{name}"] = Meaning(self.of_another(name, term(notation.Sigma)), said)
        for line in self.rows:
            if line.kind != "density":
                found |= {name: self._told(name, line) for name in line.names}
        running = {"index": "what is summed over", "variable": "what is integrated over"}
        # a place is no number, whatever the table says of a letter of that name
        return found | own | {n: Meaning(Letter(n, k), running.get(k, k)) for n, k in self.bound}

    @property
    def place(self) -> str:
        """What a chain's place is called; empty of any other sampler."""
        return self.sampler.place.name if isinstance(self.sampler, Chain) else ""

    @cached_property
    def densities(self) -> Mapping[str, str]:
        """The densities of the table, as they are written."""
        return {n: line.formula for line in self.rows if line.formula for n in line.names}

    @cached_property
    def laws(self) -> frozenset[str]:
        """What may stand below a mean: a sampler of the text, or a density."""
        return frozenset((*dict(self.named), *self.densities))

    def of_another(self, name: str, quantity: Term) -> Term:
        """A quantity of the law of another sampler, whose parameters are letters of the statement."""
        other = dict(self.named).get(name, name)
        known = {p.name for p in self.parameters}
        more = (
            () if isinstance(other, str) else tuple(p for p in other.parameters if p.name not in known)
        )
        return elsewhere(quantity, *((p, p) for p in more), of=other)

    @property
    def own(self) -> set[str]:
        """The names of the letters of its sampler and of that one's problem, met or not."""
        if not self.sampler:
            return set()
        if isinstance(self.sampler, Chain):
            parts = (self.sampler.after, *self.sampler.noises)
            return {a.name for part in parts for a in part.letters}
        names = {*(p.name for p in self.parameters), *_HOUSE}
        return {n for n, one in self.all.items() if {n, *_names_of(one.term)} & names}

    @property
    def states(self) -> tuple[str, ...]:
        """The states of the sampler."""
        try:
            return tuple(s.name for s in registry.sampler(self.sampler).state) if self.sampler else ()
        except Exception:  # told where the claim is judged
            return ()

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """What letters of a sampler of the text are called in its declaration, where that is not so."""
        return dict(getattr(self.sampler, "aliases", ()))

    @cached_property
    def parameters(self) -> tuple[Any, ...]:
        """The parameters of the sampler."""
        try:
            return tuple(registry.sampler(self.sampler).parameters)
        except Exception:  # told where the claim is judged
            return ()

    def _told(self, name: str, line: Row) -> Meaning:
        role = line.role_of(name)
        if role == "step":
            own = [p for p in self.parameters if p.name == name]
            step = getattr(registry.sampler(self.sampler), "step", None) if self.parameters else None
            if step is not None and not own:
                return Meaning(term(step), f"the step size of {self.sampler}, which is {step} there")
        elif role in ("smallest", "largest", "both") and self.sampler:
            end = role if role != "both" else ("smallest", "largest")[line.names.index(name) % 2]
            head = {"smallest": "lambda_min", "largest": "lambda_max"}[end]
            return Meaning(Applied(head, (term(notation.A),)), f"the {end} eigenvalue of the curvature")
        own = [p for p in self.parameters if p.name == self.aliases.get(name, name)]
        takes = role != "H" or any(p.name == "H" for p in self.parameters)
        if role in _HOUSE or (role in _OF_LAWS and self.sampler and takes and not own):
            return Meaning(term((_HOUSE | _OF_LAWS)[role]), _SAID[role])
        kind = line.kind or "positive"
        said = f"{line.words}, {kind}" if line.words.lower() != kind and line.words else kind
        if own and kind in ("positive", "nonnegative", *MATRICES):
            matrix = kind if kind in MATRICES else ""
            return Meaning(_parameter(own[0]), f"{said}, the parameter {name} of {self.sampler}", matrix)
        shape = "matrix" if kind in MATRICES else kind
        if shape == "matrix" and not line.words.lower().endswith("matrix"):
            said = f"{line.words}, {kind} matrix" if line.words else f"{kind} matrix"
        told, own_name = {n for row in self.rows for n in row.names}, name
        while shape == "matrix" and (own_name in _FACTORS or (own_name != name and own_name in told)):
            own_name += "_0"
        return Meaning(Letter(own_name, shape), said, kind if kind in MATRICES else "")

    def find(self, name: str) -> Term:
        """What a letter stands for; kept as one that was met."""
        meaning = self.all[name]
        self.used[name] = meaning
        found: Term = meaning.term
        return found

    def kind(self, name: str) -> str:
        """Its kind; empty of a name that is no letter."""
        meaning = self.all.get(name)
        return getattr(meaning.term, "kind", "matrix") if meaning else ""

    def split(self, word: str) -> list[str] | None:
        """A word as a product of letters, the longest first: ``hA``; None where it is none."""
        known, best = self.all, [[]] + [None] * len(word)  # type: ignore[var-annotated]
        for end in range(1, len(word) + 1):
            for start in range(end):
                before = best[start]
                if before is not None and word[start:end] in known:
                    best[end] = [*before, word[start:end]]
                    break
        return best[-1]


def _parameter(own: Any) -> Term:
    """A parameter of a sampler: a matrix, or a number."""
    return Letter(own.name, "matrix") if isinstance(own, MatrixName) else term(own)


def _names_of(found: Any) -> tuple[str, ...]:
    return tuple(a.name for a in found.letters) if isinstance(found, Term) else ()


def is_eigenvalue(met: Meaning) -> bool:
    """Whether it is an eigenvalue of the curvature, and no letter of the text's own."""
    return met.said == _SAID["lambda"]
