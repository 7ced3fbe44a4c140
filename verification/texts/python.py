"""A claim as the Python that says the same."""

from __future__ import annotations

import keyword
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import sympy as sp
from sympy.printing.str import StrPrinter

from sgtheory.declare import MatrixName
from verification import notation
from verification import statements as ours
from verification.relations.iff import Iff
from verification.statements.claim import Stated
from verification.terms.term import INFINITY, MINUS_INFINITY, Applied, Letter, Name, Number, Term, term
from verification.texts.letters import SEQUENCES
from verification.theories.distances.words import TARGET

_SIGNS = {"+": " + ", "-": " - ", "*": " * ", "/": " / ", "**": "**"}
_TIGHT = {"+": 0, "-": 0, "*": 2, "/": 2, "negative": 1, "**": 3}
_WHOLE = 4
_CALLS = {
    "exp": "exp", "log": "log", "sqrt": "sqrt", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh",
    "sign": "sign", "sin": "sin", "cos": "cos",
    "max": "largest",
    "min": "smallest", "tr": "tr", "det": "det", "rank": "rank", "transpose": "transpose", "abs": "size",
    "mean": "mean", "mean_before": "mean_given_past", "sum": "over", "expm": "expm", "lagged": "lagged",
    "averaged": "averaged", "remembered": "remembered", "long_run": "long_run", "partial": "partial",
    "derivative": "derivative", "density": "density", "log_integral": "log_integral",
    "mean_under": "mean_under", "W2": "W2", "erf": "erf",
}  # fmt: skip
# words of SymPy's that take terms with .under_word
_UNDER = {
    "diag": "Diagonal", "lambda_min": "SmallestEigenvalue", "lambda_max": "LargestEigenvalue",
    "mean_n": "Average",
    "mean_s": "BatchAverage", "first_s": "First", "E": "Expectation", "inner": "Inner",
    "grad": "Gradient",
    "hess": "Hessian", "at_theta": "At",
}  # fmt: skip
_OF_LAWS = {"KL": "Divergence", "normal_W2": "Transported", "normal_TV": "TotalVariation"}
_HOUSE = {
    term(value): name
    for name in ("A", "B", "C", "D", "H", "N", "S", "Sigma", "eps", "mu")
    for value in [getattr(notation, name)]
} | {term(notation.identity): "identity"}
_CONSTANTS = {
    INFINITY: "INFINITY",
    MINUS_INFINITY: "MINUS_INFINITY",
    TARGET: "TARGET",
    ours.pi: "pi",
    ours.E: "E",
}


def said(claim: Stated, given: tuple[Any, ...] = (), written: str = "") -> str:
    """The lines of a file of claims that state it; they make the same statement when they are run.

    ``given`` are its hypotheses as they were read, ``written`` the statement where it has an own form.
    """
    more = [f"    at={claim.at!r},", f"    title={claim.title!r},"]
    more += [f"    {claim.stands}={written or statement(claim.statement)},"]
    if claim.whose:
        whose = repr(claim.whose) if isinstance(claim.whose, str) else "sampler"
        more += [f"    of={whose},", f"    time={claim.time!r},"]
    told = [statement(one) for one in given]
    more += [f"    given=({', '.join(told)},),"] if told else []
    if claim.numbers:
        pairs = ", ".join(f"{formula(a)}: {text!r}" for a, text in claim.numbers)
        more.append(f"    numbers={{{pairs}}},")
    more += (
        [f"    states=({', '.join(map(formula, claim.states))},),"]
        if claim.states and not written
        else []
    )
    more += [f"    kinds={claim.kinds!r},"] if claim.kinds else []
    head = [*preamble(claim, given, written), f"{called(claim.key)} = claim(", f"    {claim.key!r},"]
    return "\n".join([*head, *more, ")"])


def preamble(claim: Stated, given: tuple[Any, ...], written: str) -> Iterator[str]:
    """The lines that make its letters."""
    letters = () if written else dict.fromkeys(letters_of(claim, given))
    own = "" if written else "".join(statement(one) for one in (claim.statement, *given))
    yield from ("import sympy as sp", "") if "sp." in own else ()
    yield "from verification.statements import *"
    yield ""
    others = [] if written else list(_others(claim, given))
    if others or (claim.whose and not isinstance(claim.whose, str)):
        yield from ("from sympy import exp, sqrt", "from sgtheory.declare import *")
        yield from ("from verification import notation", "")
    for other in others:
        yield from _sampler(other, called(other.name))
    if claim.whose and not isinstance(claim.whose, str):
        yield from _sampler(claim.whose, "sampler")
        yield "from verification.statements import exp, sqrt"
    for one in letters:
        yield _made(one, bool(claim.whose and not isinstance(claim.whose, str)))


def _others(claim: Stated, given: tuple[Any, ...]) -> Iterator[Any]:
    """The declarations whose laws stand beside that of the claim's own sampler."""
    sides = (
        t for one in (claim.statement, *given) for r in getattr(one, "relations", ()) for t in r.sides
    )
    names = dict.fromkeys(p for side in sides for p in side.subterms() if isinstance(p, Name))
    yield from (name.meant for name in names if name.meant is not None)


def _sampler(of: Any, own: str) -> Iterator[str]:
    """The declaration of a sampler that a text writes, with its abbreviations written out."""
    short = dict(reversed(of.where))
    updates = [(target, sp.sympify(right).subs(short)) for target, right in of.updates]
    bounds = [bound.subs(short) for bound in of.given]
    states = {s.name for s in of.state}
    olds = [target.name for target, _ in of.updates if target.name not in states]
    made = [("state", sorted(states)), ("normal", [n.name for n in of.noises]), ("local", olds)]
    matrices = [p.name for p in of.parameters if isinstance(p, MatrixName)]
    numbers = [p for p in of.parameters if p.name not in matrices]
    made += [("positive", [p.name for p in numbers if p.is_positive])]
    either = [p for p in numbers if not p.is_positive]
    made += [("nonnegative", [p.name for p in either if p.is_nonnegative])]
    made += [("real", [p.name for p in either if not p.is_nonnegative])]
    made += [("positive_definite", matrices)]
    for maker, names in made:
        yield from (f'{called(name)} = {maker}("{name}")' for name in names)
    yield f"{own} = Sampler("
    yield f"    state=({', '.join(called(s.name) for s in of.state)},),"
    yield f"    noises=({''.join(called(n.name) + ',' for n in of.noises)}),"
    yield "    updates=("
    write = _Updates().doprint
    yield from (f"        ({called(target.name)}, {write(right)})," for target, right in updates)
    yield "    ),"
    yield f"    given=({''.join(write(one) + ',' for one in bounds if one not in (True, sp.true))}),"
    yield "    convention=Card.of_a_text(),"
    yield from ([f"    name={of.name!r},"] if own != "sampler" else [])
    yield ")"


class _Updates(StrPrinter):
    """The right sides of a sampler as its declaration has them."""

    def _print_Apply(self, of: Any) -> str:
        gain, vector = of.args
        return f"({self._print(gain)} @ ({self._print(vector)}))"

    def _print_Root(self, of: Any) -> str:
        return f"{self._print(of.args[0])}.root"

    def _print_Gradient(self, of: Any) -> str:
        return f"gradient({self._print(of.args[0])})"

    def _print_FullGradient(self, of: Any) -> str:
        return f"full_gradient({self._print(of.args[0])})"

    def _print_Symbol(self, of: Any) -> str:
        return called(of.name)


def letters_of(claim: Stated, given: tuple[Any, ...]) -> Iterator[Letter]:
    """All letters of a claim, its hypotheses and its limit among them."""
    for one in (claim.statement, *given):
        for relation in getattr(one, "relations", ()):
            yield from _letters(relation)
    yield from (a for a, _ in claim.numbers)


def _letters(relation: Any) -> Iterator[Letter]:
    for side in (*relation.sides, *(relation.way.terms if relation.limiting else ())):
        yield from side.letters
    yield from (a for a in relation.constant_in if isinstance(a, Letter))
    yield from (a for a in relation.chosen if isinstance(a, Letter))


def _made(one: Letter, apart: bool = False) -> str:
    """The line that makes a letter; ``apart`` from a sampler whose letters have the same names."""
    name = called(one.name)
    if one in _HOUSE:
        return f"{_HOUSE[one]} = term({'notation.' if apart else ''}{_HOUSE[one]})"
    if one.kind == "index":
        return f'{name} = index("{one.name}")'
    if one.kind in SEQUENCES:
        return f'({name},) = sequences("{one.name}", {one.kind!r})'
    if one.kind in ("function", "positive function"):
        return f'{name} = function("{one.name}", {one.kind!r})'
    if one.kind in ("column of each", "number of each"):
        maker = "columns" if one.kind == "column of each" else "numbers"
        return f'{name} = term({maker}("{one.name}"))'
    if "," in one.name or "theta" in one.name or ("v" in one.name and one.kind == "matrix"):
        return f"{name} = letter({one.name!r}, {one.kind!r})"
    return f'{name} = letter("{one.name}", {one.kind!r})'


def called(name: str) -> str:
    """A name that Python takes.

    >>> called("lambda"), called("claim3.a")
    ('lambda_', 'claim3_a')
    """
    plain = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
    return f"{plain}_" if keyword.iskeyword(plain) or not plain.isidentifier() else plain


def formula(of: Term) -> str:
    """A term as Python."""
    return _written(of)[0]


def _written(of: Term) -> tuple[str, int]:
    if of in _CONSTANTS:
        return _CONSTANTS[of], _WHOLE
    if isinstance(of, Number):
        exact = of.printed.isdigit()
        return (of.printed if exact else f"number({of.printed!r})"), _WHOLE
    if isinstance(of, Letter):
        return (_HOUSE[of] if of in _HOUSE else called(of.name)), _WHOLE
    if isinstance(of, Name):
        return f"Name({of.name!r})", _WHOLE
    assert isinstance(of, Applied)
    if of.head in _SIGNS:
        return _between(of)
    if of.head == "negative":
        return f"-{_within(of.of[0], 3)}", _TIGHT["negative"]
    return _call(of), _WHOLE


def _between(of: Applied) -> tuple[str, int]:
    left, right = of.of
    tight = _TIGHT[of.head]
    # both numbers: Python would work it out
    first = f"number({left.printed!r})" if isinstance(left, Number) and isinstance(right, Number) else ""
    if of.head == "**":
        return f"{first or _within(left, 4)}**{_within(right, 4)}", tight
    # -a * b is (-a) * b in Python, and so it is in terms
    return f"{first or _within(left, tight)}{_SIGNS[of.head]}{_within(right, tight + 1)}", tight


def _within(of: Term, tight: int) -> str:
    form, own = _written(of)
    return form if own >= tight else f"({form})"


def _call(of: Applied) -> str:
    parts = of.of
    if of.head in _CALLS:
        return f"{_CALLS[of.head]}({', '.join(map(formula, parts))})"
    if of.head in _UNDER:
        return f"term({_UNDER[of.head]}({', '.join(map(formula, parts))}))"
    if of.head == "at":
        return f"{formula(parts[0])}[{formula(parts[1])}]"
    if of.head == "of":
        return f"{formula(parts[0])}({', '.join(map(formula, parts[1:]))})"
    if of.head == "integral":
        inside, by, low, high = map(formula, parts)
        return f"integral({inside}, ({by}, {low}, {high}))"
    if of.head in _OF_LAWS:
        first, q, other, p = parts
        names = (f"sp.Symbol({n.name!r})" if isinstance(n, Name) else formula(n) for n in (q, p))
        q_name, p_name = names
        return f"term({_OF_LAWS[of.head]}({formula(first)}, {q_name}, {formula(other)}, {p_name}))"
    if of.head == "drawn":
        noise, law, *numbers = parts
        told = [formula(noise), repr(getattr(law, "name", "")), *map(formula, numbers)]
        return f"of_law({', '.join(told)})"
    if of.head in ("settled", "settled laws", "unlike"):
        return _of_a_chain(of)
    if of.head == "law":
        return f"law({getattr(parts[0], 'name', '')!r})"
    if of.head == "elsewhere":
        body, name, *changes = parts
        pairs = [
            f"({formula(a)}, {formula(b)})" for a, b in zip(changes[::2], changes[1::2], strict=True)
        ]
        whose = getattr(name, "name", "")
        pairs += [f"of={called(whose) if getattr(name, 'meant', None) else repr(whose)}"] * bool(whose)
        return f"elsewhere({', '.join([formula(body), *pairs])})"
    return str(of)


def _of_a_chain(of: Applied) -> str:
    """A mean under the law of a chain, or how many laws it has."""
    name, *parts = of.of
    body, (after, new, *own) = (None, parts) if of.head == "settled laws" else (parts[0], parts[1:])
    made = [repr(getattr(name, "name", "")), *map(formula, (after, *own))]
    made += [f"new={formula(new)}"] if new in after.letters else []
    whole = f"chain({', '.join(made)})"
    if of.head == "unlike":
        return f"{whole}.unlike({getattr(body, 'name', '')!r})"
    return f"{whole}.laws" if body is None else f"{whole}.mean({formula(body)})"


def statement(of: Any) -> str:
    """A statement as Python."""
    if isinstance(of, ours.All):
        return f"All({', '.join(map(statement, of.relations))})"
    rule: Callable[[Any], str] | None = _RULES.get(type(of))
    if rule is None:
        raise ValueError(f"no way to write {type(of).__name__}")
    return rule(of)


def _way(of: Any) -> str:
    made = "growing" if of.to == "oo" else "vanishing"
    more = [f"({formula(a)}, {formula(b)})" for a, b in of.where]
    return f"{made}({', '.join([formula(of.letter), *more])})"


def _equal(of: Any) -> str:
    more = f", constant_in=({_listed(of.constant_in)},)" if of.constant_in else ""
    return f"Equal({formula(of.left)}, {formula(of.right)}{more})"


def _listed(of: Iterable[Term]) -> str:
    return ", ".join(map(formula, of))


def _best(of: Any) -> str:
    more = [f"of={formula(of.of)}"]
    more += [f"end={of.end!r}"] if of.end != "smallest" else []
    more += [f"among={of.among!r}"] if of.among != "all" else []
    more += [f"by={formula(of.by)}"] if of.by != of.left else []
    more += ["up_to_factor=True"] if of.up_to_factor else []
    return f"Best({formula(of.left)}, {formula(of.right)}, {', '.join(more)})"


def _order(of: Any) -> str:
    if of.is_expansion:
        return _expansion(of)
    return f"Order({formula(of.left)}, {of.relation!r}, {formula(of.right)}, {_way(of.way)})"


def _exists(of: Any) -> str:
    found = f"Exists({', '.join(map(statement, of.parts.relations))})"
    return f"Not({found})" if of.nowhere else found


def _expansion(of: Any) -> str:
    left, formula_of = of.left.of
    more = f", {of.relation!r}" if of.relation != "O" else ""
    return f"expanded({formula(left)}, {formula(formula_of)}, {formula(of.right)}, {_way(of.way)}{more})"


_RULES: dict[type, Callable[[Any], str]] = {
    ours.Equal: _equal,
    ours.Compare: lambda of: f"Compare({formula(of.left)}, {of.relation!r}, {formula(of.right)})",
    ours.FreeOf: lambda of: f"FreeOf({formula(of.left)}, {formula(of.right)})",
    ours.Order: _order,
    ours.Best: _best,
    ours.OneBest: lambda of: f"OneBest({formula(of.left)}, {formula(of.right)}, of={formula(of.of)})",
    ours.Bounded: lambda of: f"Bounded({formula(of.left)}, {formula(of.right)})",
    ours.Moves: lambda of: f"Moves({formula(of.left)}, {of.relation!r}, {_way(of.way)})",
    ours.Adds: lambda of: f"Adds({formula(of.left)}, {of.relation!r}, {_way(of.way)})",
    ours.Stable: lambda of: "Stable()" if of.settles else "Not(Stable())",
    Iff: lambda of: f"Iff({statement(of.statement)}, {statement(of.when)})",
    ours.Exists: _exists,
    type(ours.REPLACED): lambda of: "REPLACED" if of == ours.REPLACED else "NOT_REPLACED",
}
