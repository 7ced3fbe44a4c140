"""Moments about the mode in letters: what the hierarchy of moments says of an unspecified U, for D = 1.

What is small is 1/N at fixed eta = gamma N where noise vanishes at the mode; else it is eta, and
1/N = tau eta, tau in (0, 1]. What is not known of a moment, beyond its first term, is a letter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import sympy as sp

from sgtheory.dynamics.leading import leading as lowest
from sgtheory.perturbation.form import Form, form_of
from sgtheory.perturbation.hierarchy import Kind
from sgtheory.perturbation.symbols import GAMMA, components
from sgtheory.polynomials import cancelled, factored
from verification.terms.arithmetics.symbols import SYMBOLS
from verification.terms.term import Term
from verification.terms.walking import Arithmetic, walk
from verification.terms.ways import Way
from verification.theories.invariants.words import POSTERIOR, laws_in

N, ETA, P, SMALL, TAU = sp.symbols("N eta p s tau", positive=True)
U2, U3 = sp.Symbol("U2", positive=True, real=True), sp.Symbol("U3", real=True)
V11, V22 = sp.symbols("V11 V22", real=True)
SCALED = {name: sp.Symbol(name, positive=name != "u3") for name in ("u2", "u3", "v11", "v22")}
_SIZES = {
    U2: SCALED["u2"] * N,
    U3: SCALED["u3"] * N,
    V11: SCALED["v11"] * N**2,
    V22: SCALED["v22"] * N**2,
}
_POWERS = {"mean": (1,), "second": (2,)}
_LEFT_OUT = "rest_"


@cache
def form(law: str) -> Form:
    """The declared update; the posterior is LMC's law as the step vanishes."""
    return form_of("lmc" if law == POSTERIOR else law)


@cache
def truth(law: str, what: str) -> Any:
    """The leading order in gamma, derivatives U2, U3 of U and moments V11, V22 of minibatches.

    >>> truth("pi", "second"), truth("sgd", "mean")
    (1/U2, -gamma*U3*V11/(4*U2**2))
    """
    of = form(law)
    kind = Kind(1, 1, of.multiplicative, bool(of.additive != 0))
    found = components(kind, of.temperature, of.additive).moment(*_POWERS[what])
    return found.subs(GAMMA, 0) if law == POSTERIOR else found


@cache
def exact_variance(law: str) -> Any:
    """Of linear regression: P (1 - E[(1 - gamma a)^2]) is what a step adds, a a minibatch's Hessian.

    >>> exact_variance("pi")
    1/U2
    """
    if law == POSTERIOR:
        return 1 / U2
    of = form(law)
    added = 2 * GAMMA * of.temperature + GAMMA**2 * V11 * of.additive**2
    kept = 1 - 2 * GAMMA * U2 + GAMMA**2 * (U2**2 + V22 * int(of.multiplicative))
    return cancelled(added / sp.expand(1 - kept))


@cache
def _moment(law: str, what: str) -> Any:
    """With a letter for what is left out: of the second order, or relative to the whole."""
    rest = sp.Symbol(f"{_LEFT_OUT}{law}_{what}", real=True)
    if what in _POWERS:
        return truth(law, what) + rest * SMALL**2
    of = form(law)
    drawn = int(of.multiplicative) * V22 * _moment(law, "second") + of.additive**2 * V11
    if what == "noise":
        return drawn + int(of.multiplicative) * of.additive * rest * SMALL * N**2
    # an average over n = 1/gamma steps has the variance q/(n (gamma U2)^2), q that of a step's noise
    return (2 * of.temperature + GAMMA * drawn) / U2**2 * (1 + rest * SMALL)


_UNDONE = {"L": 2 * U2, "H": 2 * U2 - GAMMA * U2**2, "G": 2 * U2 - GAMMA * (U2**2 + V22)}
_AT_MODE = {"D2U": U2, "M": V11 * P / N, "I": sp.Integer(1)}


def arithmetic(moment: Callable[[str, str], Any]) -> Arithmetic:
    """Symbols, with the moments that a function gives."""
    own: dict[str, Callable[..., Any]] = {
        "moment": moment,
        "undone": lambda name, x: x / _UNDONE[name],
        "third": lambda x: U3 * x,
        "at_mode": _AT_MODE.__getitem__,
    }
    return replace(SYMBOLS, operations={**SYMBOLS.operations, **own})


def in_letters(side: Term, moment: Callable[[str, str], Any] = _moment) -> Any:
    """A term with everything in letters, gamma as eta/N."""
    return plainly(side, arithmetic(moment)).subs(GAMMA, ETA / N)


def plainly(side: Term, of: Arithmetic = SYMBOLS) -> Any:
    """A term in symbols; letters are positive, of whatever kind they are."""
    return walk(side, of, {a.name: sp.Symbol(a.name, positive=True) for a in side.letters})


@cache
def leading(side: Term, way: Way) -> tuple[Any, Any] | None:
    """The power of what vanishes on a way, 1/N or eta, in a term, and its factor; None where unknown."""
    grows, first = way.letter.name == "N", is_first_in_eta(side, way)
    known = {a.name: plainly(value) for a, value in way.where}
    if grows:  # at fixed eta: where that is what is small, 1/N is nothing beside it
        moving = {N: 1 / (TAU * SMALL), ETA: SMALL} if first else {N: 1 / SMALL}
    else:
        moving = {N: known["N"].subs(ETA, SMALL), ETA: SMALL}
    expr = sp.sympify(in_letters(side)).subs(_SIZES, simultaneous=True).subs(moving)
    found = lowest(expr, SMALL)
    if found is not None and first:
        found = lowest(found[1], TAU)
    return None if found is None else (found[0], factored(found[1]))


def is_first_in_eta(side: Term, way: Way) -> bool:
    """Whether N grows at a fixed eta, and a first term is that of an expansion in eta."""
    return way.letter.name == "N" and any(form(law).small == "eta" for law in laws_in(side))


def is_known(factor: Any) -> bool:
    """Whether nothing that was left out is in it."""
    return not any(s.name.startswith(_LEFT_OUT) for s in factor.free_symbols)


def may_vanish(factor: Any) -> tuple[str, ...] | None:
    """The letters whose vanishing makes a factor vanish; None where its sign is not known besides.

    Steps are such that moments exist: eta below 2 u2/(u2^2 + v22).

    >>> u2, u3, v11, v22 = SCALED.values()
    >>> may_vanish(u3 * v11 / (ETA * u2 - 2)), may_vanish(u2 - v22)
    (('u3', 'v11'), None)
    """
    u2, u3, _, v22 = SCALED.values()
    most = 2 * u2 / (u2**2 + (v22 if factor.has(v22) else 0))
    numerator = sp.expand(sp.fraction(cancelled(factor.subs(ETA, most / (1 + SMALL))))[0])
    zero = tuple(n for n in ("u3", "v11", "v22") if numerator.subs(SCALED[n], 0) == 0)
    rest = sp.Poly(numerator, u3).terms()
    signs = {t.could_extract_minus_sign() for _, c in rest for t in sp.Add.make_args(sp.expand(c))}
    even = len({power % 2 for (power,), _ in rest}) == 1
    return zero if len(signs) == 1 and even and is_known(factor) else None
