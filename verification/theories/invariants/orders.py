"""First terms of moments about the mode: lemmas on orders, in letters for D = 1."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import sympy as sp

from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import say
from sgtheory.perturbation import invariant_moments
from sgtheory.polynomials import cancelled
from verification.refuter.conditions import Condition
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Name, Term, letter, number
from verification.terms.walking import Unable
from verification.terms.ways import Way
from verification.theories.answers import Answer, Disproved, Proved, Silence, Silent
from verification.theories.invariants.balance import Balance, examples
from verification.theories.invariants.given import Away
from verification.theories.invariants.letters import (
    SCALED,
    TAU,
    form,
    is_first_in_eta,
    is_known,
    leading,
    may_vanish,
    plainly,
    truth,
)
from verification.theories.invariants.words import (
    HESSIAN,
    IDENTITY,
    NOISE,
    POSTERIOR,
    laws_in,
    third,
    undone,
)

if TYPE_CHECKING:
    from verification.theories.invariants.laws import Invariant

_APART, _SEEDS = 64, ((1, 3), (1, 4), (2, 3))  # of two sizes; dimensions and seeds of examples
_FIRST = Formula(r"U_2 E[x] + U_3 E[x^2]/2 + \dots", "U2 E[x] + U3 E[x^2]/2 + ...")
_SECOND = Formula(r"U_2 E[x^2] + U_3 E[x^3]/2 + \dots", "U2 E[x^2] + U3 E[x^3]/2 + ...")
_STEIN = Step(
    "By parts",
    say(
        "Under the posterior {} and {}, $x = theta - theta*$, whatever $U$ is. With {} expanded at the"
        " mode, in one dimension:",
        Formula(r"\mathbb{E}[\nabla U] = 0", "E[grad U] = 0"),
        Formula(r"\mathbb{E}[x \nabla U^{\top}] = I", "E[x grad U^T] = I"),
        Formula(r"\nabla U", "grad U"),
    ),
    (Equation(_FIRST, sp.Integer(0)), Equation(_SECOND, sp.Integer(1))),
)
_FOUR = Step(
    "With less smoothness",
    "Under H1, third derivatives of the gradient bounded, what is left out of its mean is of the order"
    " $N E|x|^3$, and the inverse Hessian makes $E|x|^3$ of it: half a power more than the leading"
    " order, which is the printed power. Odd moments are smaller than absolute ones; that gives another"
    " half.",
)


def has_order(law: Invariant, left: Term, relation: str, right: Term, way: Way, given: Any) -> Answer:
    """The power of the first term, and whether its factor may vanish."""
    found = None if relation == "~" or laws_in(right) or not law.fits else _leading(left, way)
    if found is None:
        return Silent(Silence.NO_FORMULA)
    power, factor = found
    wanted = way.sign * plainly(right).as_powers_dict().get(plainly(way.letter), sp.Integer(0))
    shown = Derivation("The first term", _told(left, way, power, factor), ())
    small = "1/N" if way.sign < 0 else "eta"
    size = "1" if power == 0 else small if power == 1 else f"({small})^{power}"
    facts = {"dimensions": "D = 1 in letters", "power": str(power), "of": small}
    scope = "D = 1" if way.sign < 0 else "D = 1, N*eta fixed"
    away = {n for c in law.given for part in c.parts if isinstance(part, Away) for n in part.names}
    left_open = {n for n in needed(left, relation, way) if n not in away}
    if not is_known(factor):
        first = f"First terms cancel; what is left out is of order ${size}$"
        if relation == "O" and wanted <= power:
            if not _is_balanced(left, way, power):
                return Silent(Silence.NO_CERTIFICATE, derivation=shown)
            if left_open:
                return Silent(Silence.MAY_GROW, derivation=shown)
            more = ": the printed power can be raised." if wanted < power else "."
            return Proved(f"{first}, where $U$ is smooth{more}", shown, facts, scope)
        return Silent(Silence.MAY_VANISH, derivation=shown)
    if "tau" in away:
        factor = _without_root(factor) or factor
    right_side = {"O": wanted <= power, "o": wanted < power, "Omega": wanted >= power}
    if not right_side.get(relation, wanted == power):
        return Disproved(f"The first term is of order ${size}$.", shown, facts)
    lemma = f"In one dimension: the first term is of order ${size}$"
    if left_open:
        # else terms that follow matter too, or less than a bound is enough
        exact = left_open.isdisjoint(("eta", "slow")) and wanted == power
        exact = exact and not {"u3", "bounded"} <= left_open
        whole = Away.of(tuple(left_open)) if exact else None
        why = Silence.MAY_GROW if left_open <= {"bounded", "slow"} else Silence.MAY_VANISH
        return Silent(why, derivation=shown, facts=facts, only_if=whole)
    if relation in ("O", "o"):
        return Proved(f"{lemma}, or smaller.", shown, facts, scope)
    if may_vanish(factor) is None:
        return Silent(Silence.SIGN, derivation=shown)
    return Proved(f"{lemma} and does not vanish.", shown, facts, scope)


def needed(left: Term, relation: str, way: Way) -> tuple[str, ...]:
    """What first terms need in order to be of their size: of letters in them, and of the gradients.

    Where noise at the mode grows with N, nothing is at most of the order of the first term, and terms
    that follow are as large. What is left out beside a mean, or an expansion, is bounded by E|x|^3: so
    at a fixed eta the gradients' fourth moment counts, and where eta vanishes N eta, which bounds it.
    """
    away = () if relation in ("O", "o") else _away(left, way)
    noisy = any(name != POSTERIOR and form(name).additive != 0 for name in laws_in(left))
    if not noisy or (relation == "Omega" and "eta" not in away):
        return away
    if "eta" in away:
        return (*away, "fourth")
    found = _leading(left, way)
    third = way.letter.name == "eta" and found is not None and not is_known(found[1])
    return (*away, "bounded", *(["slow"] if third or {"u3", "tau"} & {*away} else []))


def _away(left: Term, way: Way) -> tuple[str, ...]:
    """The letters that have to stay away from zero, so that the first term does not vanish."""
    found = _leading(left, way)
    if found is None or not is_known(found[1]):
        return ()
    zero, rest = may_vanish(found[1]), _without_root(found[1])
    if zero is None:
        return () if rest is None else (*(may_vanish(rest) or ()), "tau")
    # without noise at the mode nothing is left of any order in eta; at u3 = 0 the next is
    return (*zero, "eta") if "u3" in zero and is_first_in_eta(left, way) else zero


def _without_root(factor: Any) -> Any:
    """What is left of a factor but for tau - v11/2; None where that does not divide it."""
    top, bottom = sp.fraction(cancelled(factor))
    found, rest = sp.div(sp.Poly(top, TAU), sp.Poly(TAU - SCALED["v11"] / 2, TAU))
    return found.as_expr() / bottom if rest.is_zero and not found.is_zero else None


def _leading(left: Term, way: Way) -> tuple[Any, Any] | None:
    try:
        return leading(left, way)
    except (Unable, KeyError):  # words that letters do not have, or another way
        return None


@cache
def _is_balanced(left: Term, way: Way, power: Any) -> bool:
    """Whether a difference vanishes so fast in fractions too, for random examples with D = 1 and 2."""
    for (D, seed), tau in product(_SEEDS, (1, 4)):
        near, far = (_off(left, way, D, seed, tau, size) for size in (1, _APART))
        if far is None or near is None or far > 2 * near / float(_APART) ** (float(power) - 1):
            return False
    return True


def _off(left: Term, way: Way, D: int, seed: int, tau: int, size: int) -> float | None:
    """How large a difference is beside the moment that it is a difference of."""
    slow = way.letter.name == "eta"
    rate, count = (Fraction(1, 64 * size), 64 * size * tau) if slow else (Fraction(1, 64), 4 * size)
    at = Balance(examples(D, seed), count, 4, rate / count)
    moments = (t for t in left.subterms() if isinstance(t, Applied))
    moment = next(t for t in moments if any(isinstance(x, Name) for x in t.of))
    try:
        near, far = (max(map(abs, at.value(one))) for one in (left, moment))
        return float(Fraction(str(near / far)))
    except (ArithmeticError, TypeError):
        return None


def first_term(law: Invariant, left: Term, way: Way, given: Any) -> tuple[list[Term], Term | None]:
    """Its power, where nothing makes it smaller."""
    found = _leading(left, way) if law.fits else None
    if found is None:
        return [], None
    power = from_sympy(in_symbols(way.letter) ** (way.sign * found[0]))
    return [], power if isinstance(has_order(law, left, "O", power, way, given), Proved) else None


def first_term_under(
    law: Invariant, left: Term, way: Way, given: Any
) -> Iterator[tuple[Condition, Term]]:
    """The same where letters stay away from zero."""
    _, power = first_term(law, left, way, given)
    said = None if power is None else has_order(law, left, "Theta", power, way, given)
    names = needed(left, "Theta", way)
    if power is not None and isinstance(said, Silent) and names and "tau" not in names:
        yield Away.of(names), power


def expansions(law: Any, moment: Term) -> Iterator[Term]:
    """The formula of a moment, from the declared update."""
    (name,) = laws_in(moment)
    of, heat, noise = form(name), 2 * IDENTITY, letter("eta") / letter("p") * NOISE
    inside = heat if of.additive == 0 else heat + noise if of.temperature else noise
    squared = HESSIAN**-1 if name == POSTERIOR else undone("G" if of.multiplicative else "H", inside)
    if isinstance(moment, Applied) and moment.head == "second about mode":
        yield squared
    if isinstance(moment, Applied) and moment.head == "off mode":
        yield -(HESSIAN**-1) * third(squared) / number(2)


def _told(left: Term, way: Way, power: Any, factor: Any) -> tuple[Step, ...]:
    """How moments come about, and the first term that they leave."""
    steps: list[Step] = []
    where = (
        "$x = theta - theta*$; $U2$, $U3$ derivatives of $U$, $V11$ and $V22$ the variances of a"
        " minibatch's gradient and Hessian:"
    )
    for name in laws_in(left):
        known = name == POSTERIOR
        steps += [_STEIN] if known else invariant_moments(form(name).sampler).derivation.steps
        for what, said in (("mean", "E[x]"), ("second", "E[x^2]")):
            shown = Equation(Formula(said, f"{said} of {name}"), truth(name, what))
            steps.append(Step("In one dimension", where, (shown,)))
    if not is_known(factor):
        return (*steps, _FOUR)
    words = (
        f"The factor of ${'(1/N)' if way.sign < 0 else 'eta'}^{power}$; $u2$, $u3$ are derivatives of"
        " $U/N$, $v11$ and $v22$ variances of one example's gradient and Hessian:"
    )
    shown = Equation(Formula(left.latex(), f"{left}, first factor"), factor)
    return (*steps, Step("First term", words, (shown,)))
