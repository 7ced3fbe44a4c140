"""Powers of N in the distance of two laws: lemmas on orders, by bounds from both sides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import formula_of
from verification.notation import N
from verification.refuter.conditions import Condition
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.asymptotics import sign
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Number, Term
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.distances import expansions
from verification.theories.distances.expansions import Below
from verification.theories.distances.expansions import Term as Power
from verification.theories.distances.given import (
    BETWEEN,
    BOUNDED,
    DIFFERENT,
    EQUAL,
    NEAR,
    QUADRATIC,
    SMOOTH,
    STABLE,
)

if TYPE_CHECKING:
    from verification.theories.distances.laws import Chains

_ALIKE = "curvatures alike"
_MEANINGS = {
    "v11": "the variance of a minibatch's gradient",
    "v12": "the covariance of a minibatch's gradient and curvature",
    "v22": "the variance of a minibatch's curvature",
}
_POWERS = {"G": "1 + q + ... + q^(n - 1)", "r": "q^n"}  # letters in brackets, after n steps
_WORDS = {True: "the examples' gradients at $theta*$ differ", False: "they do not"}


def has_order(law: Chains, left: Term, relation: str, right: Term, way: Way, given: Any) -> Answer:
    """Both bounds have to be on the right side of a power of N."""
    power = in_symbols(right).as_powers_dict().get(in_symbols(way.letter), sp.Integer(0))
    if relation not in ("O", "Omega", "Theta") or not _is_multiple(left, law.distance) or not law.fits:
        return Silent(Silence.NO_FORMULA)
    wanted, above, below = -2 * power, relation != "Omega", relation != "O"
    found = {(k, ""): law.powers(k) for k in _kinds(law)}
    if below and all(up[0] <= wanted for _, up in found.values()):
        found |= {(k, _ALIKE): law.powers(k, alike=True) for k, _ in tuple(found)}
    derivation = Derivation("Orders in $1/N$", tuple(_told(found)), ())
    if above and any(low[0] < wanted for low, _ in found.values()):
        return Disproved(_why(found, "further apart"), derivation)
    if below and any(up[0] > wanted for _, up in found.values()):
        return Disproved(_why(found, "closer"), derivation)
    open_ = Silent(Silence.BETWEEN_BOUNDS, derivation=derivation)
    if below and any(
        low[0] > wanted or sign(sp.fraction(sp.together(low[1]))[0]) is None for low, _ in found.values()
    ):
        return open_
    facts: dict[str, Any] = {"dimensions": "every"}
    if above and law.is_noisy and True in _kinds(law) and BOUNDED not in law.known:
        return Silent(Silence.MAY_GROW, derivation=derivation)
    if above and QUADRATIC not in law.known and not law.centre:
        within = sp.Integer(1) if NEAR in law.known or (law.rests and not law.away) else sp.oo
        off = sp.Integer(0) if law.away and NEAR not in law.known else within
        known = expansions.coupled(*law.names, *law.scales, off)
        if known is None or known < wanted:
            return open_
        facts["power"] = str(known)  # of coupled chains, for every convex U
    elif above and any(up[0] < wanted for _, up in found.values()):
        return open_
    why = _why(found, "" if below else "at most ")
    if "power" in facts:
        power = _root(sp.sympify(facts["power"]))
        why = f"By coupling $W_2$ is at most of order {power} for every convex $U$ as it is given. {why}"
    return Proved(why, derivation, facts)


def holds_only_where(
    law: Chains, relations: Sequence[Any], conditions: Sequence[Any], given: Sequence[Any] = ()
) -> bool:
    """Whether laws stay apart only where gradients differ: their spread is a factor of the upper bound.

    What follows in that bound is of a higher power of 1/N, whatever the spread, if curvatures are
    bounded. The lower bound grows with the spread: laws are near only where it is bounded, if the first
    term of the lower bound grows without end.
    """
    said = {DIFFERENT: "Omega", BOUNDED: "O"}.get(conditions[0]) if len(conditions) == 1 else None
    steady = STABLE if law.settled else SMOOTH
    if said is None or any(r.relation != said for r in relations) or steady not in law.known:
        return False
    power, first = law.powers(True)[said == "Omega"][:2]
    wanted = (
        -2 * in_symbols(r.right).as_powers_dict().get(in_symbols(r.way.letter), sp.Integer(0))
        for r in relations
    )
    decides = first.subs(expansions.SPREAD, 0) == 0 if said == "Omega" else _grows(first)
    return all(one == power for one in wanted) and decides


def _grows(first: Any) -> bool:
    """Whether a coefficient has no end as the spread grows."""
    top, bottom = (sp.degree(x, expansions.SPREAD) for x in sp.fraction(sp.together(first)))
    return bool(top > bottom)


def _kinds(law: Chains) -> list[bool]:
    """Whether the examples' gradients at the mode differ: what is given leaves one, or both."""
    return [kind for kind in (True, False) if (EQUAL if kind else DIFFERENT) not in law.known]


def first_term(law: Chains, left: Term, way: Way, given: Any) -> tuple[list[Term], Term | None]:
    """The power of N that both bounds agree on."""
    known = (
        {bound[0] for kind in _kinds(law) for bound in law.powers(kind)}
        if left == law.distance
        else set()
    )
    if len(known) == 1 and sp.oo not in known:
        power = from_sympy(in_symbols(way.letter) ** (-known.pop() / 2))
        if isinstance(has_order(law, left, "Theta", power, way, given), Proved):
            return [], power
    return [], None


def first_term_under(law: Chains, left: Term, way: Way, given: Any) -> Iterator[tuple[Condition, Term]]:
    """The same where the examples' gradients differ, their spread between two positive numbers."""
    if DIFFERENT not in law.known and EQUAL not in law.known:
        under = BETWEEN if law.is_noisy else DIFFERENT
        _, power = first_term(replace(law, given=(*law.given, under)), left, way, given)
        if power is not None:
            yield under, power


def _is_multiple(side: Term, distance: Any) -> bool:
    """Whether a side is a number times the distance."""
    if not isinstance(side, Applied) or side == distance:
        return side == distance
    rest = [part for part in side.of if not isinstance(part, Number)]
    numbers = side.head in ("*", "/") and len(rest) == 1 and (side.head == "*" or rest[0] is side.of[0])
    return (numbers or side.head == "negative") and _is_multiple(rest[0], distance)


def _told(found: dict[tuple[bool, str], tuple[Below, Power]]) -> Iterator[Step]:
    """The first terms of both bounds, and what their letters are; those that are the same once."""
    shown: dict[tuple[str, tuple[Any, ...]], list[str]] = {}
    for (differ, alike), (low, up) in found.items():
        ends = (low[0], low[2]), (up[0], up[1])
        bounds = tuple(sp.Integer(0) if e == sp.oo else c * N ** (-e) for e, c in ends)
        shown.setdefault((alike, bounds), []).append("differ" if differ else "do not")
    for (alike, bounds), kinds in shown.items():
        lines = tuple(
            Equation(Formula(rf"W_2^2 \text{{ {where}}}", f"W_2^2 {where}"), formula_of(bound))
            for where, bound in zip(("from below", "from above"), bounds, strict=True)
        )
        told = "do not differ" if kinds == ["do not"] else " or ".join(kinds)
        start = f"Where the examples' gradients at $theta*$ {told}{alike and ', with '}"
        yield Step("First terms", f"{start}{alike}{_letters(bounds)}.", lines)


def _letters(bounds: Sequence[Any]) -> str:
    """What the letters are that stand in formulas, as the rest of a sentence."""
    letters = {x.name for bound in bounds for x in bound.free_symbols}
    told = [f"${name}$ is {_MEANINGS[name]}" for name in sorted(letters & _MEANINGS.keys())]
    scaled = [f"There, scaled so that it stays finite, {' and '.join(told)}"] if told else []
    heads = {x.partition("[")[0] for x in letters if "[" in x}
    known = [f"${x}[q]$ is ${power}$" for x, power in _POWERS.items() if x in heads]
    powers = [f"After $n$ steps {' and '.join(known)}"] if known else []
    return "".join(f". {one}" for one in scaled + powers)


def _why(found: dict[tuple[bool, str], tuple[Below, Power]], word: str) -> str:
    """The powers; with what they need, where they are not all alike. The word tells how it is known."""
    either = len({kind for kind, _ in found}) > 1
    most = word if word.startswith("at") else ""
    ends = {key: (_root(up[0]), _root(low[0])) for key, (low, up) in found.items()}
    pattern = "of order {}, at least {}" if most else "of an order between {} and {}"
    shown = {key: f"of order {a}" if a == b else pattern.format(a, b) for key, (a, b) in ends.items()}
    if all(shown[kind, ""] == x for (kind, _), x in shown.items()):
        shown = {key: x for key, x in shown.items() if not key[1]}  # it makes no difference
    told = [
        x + (f" where {_WORDS[kind]}" if either else "") + (f" and {alike}" if alike else "")
        for (kind, alike), x in shown.items()
    ]
    if len(set(shown.values())) == 1:
        told = [next(iter(shown.values()))]
    start = "In linear" if word == most else f"They are {word} than printed: in linear"
    return f"{start} regression $W2$ is {most}{', '.join(told)}."


def _root(power: Any) -> str:
    return "zero" if power == sp.oo else "1" if power == 0 else f"$N^(-{sp.Rational(power) / 2})$"
