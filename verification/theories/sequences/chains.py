"""Chains among sequences: x[t] is a polynomial in x[t-1], in roots of its step and in normal noises.

Means of products of sums over a chain follow step by step, exactly, along a schedule of steps. A script
comes to them another way: each x[t] is a row of coefficients of all noises, by Isserlis' theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp
from flint import arb, arb_poly, ctx, fmpq, fmpq_poly

from sgtheory.dynamics.chain import Moments
from sgtheory.dynamics.steps import Step
from verification.terms.arithmetics import balls
from verification.terms.arithmetics.symbols import in_symbols
from verification.terms.from_sympy import from_sympy
from verification.terms.term import Applied, Letter, Number, Term, number, total
from verification.terms.walking import walk
from verification.theories.sequences.growth import Family
from verification.theories.sequences.normal import Undecided
from verification.theories.sequences.words import DOWN, ENDLESS, FINITE, VANISHING

if TYPE_CHECKING:
    from verification.theories.sequences.steps import Steps

LONG = (64, 256, 1_024)  # steps of the chains that are looked at
_DIGITS = 60
X, H = sp.Symbol("x", real=True), sp.Symbol("h", positive=True)
LAST = sp.Symbol("x_T", real=True)  # where it is after all steps
_X, _H = Letter("x", "real"), Letter("h")
Product = tuple[tuple[Any, int], ...]  # what is added up over the steps, and how often it is a factor

_RUN = """
@np.errstate(all="ignore")  # a chain may grow beyond all numbers
def moments(T):
    t = np.arange(1.0, T + 1)
    x, rows = np.zeros(1 + NOISES * T), []
    x[0] = START
    for k, h in enumerate(STEPS + 0 * t):
        rows.append(x)
        x = SLOPE * x
        x[[0, *range(1 + NOISES * k, 1 + NOISES * (k + 1))]] += ADDED
    h, mean, rest = STEPS + 0 * t, np.array(rows)[:, 0], np.array(rows)[:, 1:]
    c = rest @ rest.T
    sums = [(a + 0 * h, b + 0 * h, q + 0 * h) for a, b, q in SUMS]  # of a + b x + q x^2
    first = [np.sum(a + b * mean + q * (mean**2 + np.diag(c))) for a, b, q in sums]
    bend = [(b + 2 * q * mean, q) for _, b, q in sums]
    second = lambda i, j: first[i] * first[j] + (
        bend[i][0] @ c @ bend[j][0] + 2 * bend[i][1] @ (c * c) @ bend[j][1])
    return MOMENTS
"""


@dataclass(frozen=True)
class Chain:
    """``sequence[running] = rule``; ``sizes`` are its steps.

    Their ``formula`` may be given, in the running letter, or the number ``most`` that none is above.
    """

    sequence: Letter
    running: Letter
    rule: Term
    start: Number
    sizes: Letter
    noises: tuple[Letter, ...]
    count: Letter
    formula: Term | None = None
    most: Term | None = None

    @cached_property
    def step(self) -> Step:
        """One step, of X by H."""
        noises = tuple(sp.Symbol(a.name, real=True) for a in self.noises)
        return Step((X,), ((X, self.summand(self.rule, self.running)),), noises)

    def summand(self, body: Term, running: Term) -> Any:
        """An expression of one step, by X before it and by H."""
        names: dict[Term, Letter] = {_at(self.sequence, running - 1): _X, _at(self.sizes, running): _H}
        names |= {_at(a, running): Letter(a.name, "real") for a in self.noises}
        found = body.named(names)
        if any(a not in names.values() for a in found.letters):
            raise Undecided(f"a step of a chain with {body}")
        return sp.expand(in_symbols(found))

    def has(self, side: Term) -> bool:
        """Whether a term is about the chain."""
        return self.sequence in side.letters

    def schedules(self, far_out: tuple[str, ...] | None = None) -> Iterator[Family]:
        """Steps as formulas: the one that is given, or some that tell sums of their powers apart.

        Where it is said what they do ``far_out``, some that do not depend on the number of steps.
        """
        t, T, most = self.running, self.count, self.most
        if far_out is not None and self.formula is None and self.sizes.kind in DOWN and most is not None:
            long = (ENDLESS, VANISHING)
            falling = ((most / t, long), (most / t ** number("1/3"), long))
            stopping = ((most / t**2, (VANISHING, FINITE)), (most * (1 + 1 / t) / 2, (ENDLESS,)))
            shown = [shape for shape, so in (*falling, *stopping) if {*far_out} <= {*so}]
            yield from (Family(((self.sizes, shape),), (), t) for shape in shown)
            return
        shapes: tuple[Term, ...] = () if self.formula is None else (self.formula,)
        if self.formula is None and most is not None:
            shorter = (T ** number("1/2"), T ** number("1/5"), t ** number("1/3"), T**2)
            shapes = (*(most / less for less in shorter), most, 8 * most / T)
        yield from (Family(((self.sizes, shape),), (), t) for shape in shapes)

    def spelt(self, side: Term, known: dict[Letter, Product]) -> Term:
        """A term with letters for sums over steps, and for means of products of them, which are kept."""
        if not isinstance(side, Applied):
            return side
        if side.head == "sum" and self.has(side):
            raise Undecided("what is random, outside of a mean")
        if side.head == "sum" and self.summand_of(side).is_polynomial(H):
            return _letter_of(((self.summand_of(side), 1),), known)
        if side.head != "mean":
            return side.with_parts(tuple(self.spelt(part, known) for part in side.of))
        names: dict[Term, Letter] = {_at(self.sequence, self.count): Letter(LAST.name, "real")}
        bodies = {LAST: LAST}
        for k, one in enumerate(dict.fromkeys(sums_in(side.of[0]))):
            names[one] = Letter(f"sum_{k}", "real" if self.has(one) else "positive")
            if self.has(one):
                bodies[in_symbols(names[one])] = self.summand_of(one)
        inside = side.of[0].named(names)
        if not self.has(side):
            return self.spelt(side.of[0], known)
        if self.has(inside) or not in_symbols(inside).is_polynomial(*bodies):
            raise Undecided(f"the mean of {side.of[0]}")
        back = {letter: one for one, letter in names.items()}
        terms = []
        for powers, c in sp.Poly(in_symbols(inside), *bodies).terms():
            product = tuple((b, k) for b, k in zip(bodies.values(), powers, strict=True) if k)
            worth = self.spelt(from_sympy(c).put(back), known)
            terms.append(worth * _letter_of(product, known) if product else worth)
        return total(terms)

    def summand_of(self, one: Applied) -> Any:
        """What is added up over all steps."""
        body, running, first, last = one.of
        if first != number(1) or last != self.count:
            raise Undecided(f"the sum {one}")
        return self.summand(body, running)


def _letter_of(product: Product, known: dict[Letter, Product]) -> Letter:
    new = Letter(f"moment_{len(known) + 1}", "real")
    found = next((a for a, p in known.items() if p == product), new)
    known[found] = product
    return found


def _at(sequence: Letter, step: Term) -> Term:
    return Applied("at", (sequence, step))


def sums_in(side: Term) -> Iterator[Applied]:
    """The sums in a term that stand in no other."""
    if isinstance(side, Applied) and side.head == "sum":
        yield side
    else:
        yield from (one for part in side.parts for one in sums_in(part))


@dataclass(frozen=True)
class Run:
    """A chain along a schedule, and the products of sums whose means are asked for."""

    chain: Chain
    shape: Term
    products: tuple[tuple[Letter, Product], ...] = ()
    lengths = LONG

    def worth(self, n: int) -> Mapping[str, Any]:
        """The means after so many steps."""
        found = _means(self.chain, self.shape, n, tuple(p for _, p in self.products))
        return {a.name: x for (a, _), x in zip(self.products, found, strict=True)}

    def script(self, text: Callable[[Letter], str]) -> tuple[list[str], str]:
        """Lines that come to the same by a covariance of all pairs of steps, and the names."""
        ((_, after),), noises = self.chain.step.updates, self.chain.step.noises
        update = sp.Poly(after, X, *noises)
        bodies = list(dict.fromkeys(b for _, p in self.products for b, _ in p if b != LAST))
        parts = [(sp.Poly(b, X), [sp.Poly(b, X).coeff_monomial(X**k) for k in range(3)]) for b in bodies]
        added = [update.coeff_monomial(w) for w in (1, *noises)]
        if any(p.degree() > 2 or any(c.free_symbols - {H} for c in rows) for p, rows in parts):
            raise Undecided("a sum of what is no square")
        if update.total_degree() > 1:
            raise Undecided("a chain that is not linear")
        told = [_moment(bodies, product) for _, product in self.products]
        words = {
            "NOISES": len(noises),
            "START": self.chain.start.value,
            "STEPS": f"({self.shape.put({self.chain.running: Letter('t')})})",
            "SLOPE": f"({update.coeff_monomial(X)})",
            "ADDED": added,
            "SUMS": [tuple(rows) for _, rows in parts],
            "MOMENTS": f"[{', '.join(told)}]",
        }
        script = _RUN.strip()
        for name, value in words.items():
            script = script.replace(name, str(value))
        names = ", ".join(text(a) for a, _ in self.products)
        return ["import numpy as np", "from numpy import sqrt", *script.splitlines()], names


def _moment(bodies: list[Any], product: Product) -> str:
    if product in (((LAST, 1),), ((LAST, 2),)):
        return "x[0]" if product[0][1] == 1 else "x @ x"
    if any(b == LAST for b, _ in product) or sum(k for _, k in product) > 2:
        raise Undecided("a product of three sums, or with the last step")
    places = [bodies.index(b) for b, k in product for _ in range(k)]
    return f"first[{places[0]}]" if len(places) == 1 else f"second({places[0]}, {places[1]})"


@cache
def _means(chain: Chain, shape: Term, n: int, products: tuple[Product, ...]) -> tuple[Fraction, ...]:
    bodies = tuple(dict.fromkeys(b for p in products for b, _ in p if b != LAST))
    asked = tuple(tuple(sum(k for b, k in p if b == one) for one in (*bodies, LAST)) for p in products)
    known, rows = _rows(chain.step, bodies, asked)
    with ctx.workdps(_DIGITS):
        begin = balls(_DIGITS).number(chain.start.value)
        worth = [begin ** e[-1] if not any(e[:-1]) else arb(0) for e in known]
        made: dict[str, Any] = {}
        for k in range(1, n + 1):
            place = {chain.running.name: k, chain.count.name: n}
            size = walk(shape, balls(_DIGITS), {a: balls(_DIGITS).number(x) for a, x in place.items()})
            if str(size) not in made:  # steps often repeat
                made = {str(size): [[(j, c(size)) for j, c in row] for row in rows]}
            worth = [sum((c * worth[j] for j, c in row), arb(0)) for row in made[str(size)]]
        middles = [worth[known.index(e)].mid().fmpq() for e in asked]
    return tuple(Fraction(int(x.p), int(x.q)) for x in middles)


@cache
def _rows(step: Step, bodies: tuple[Any, ...], asked: tuple[tuple[int, ...], ...]) -> Any:
    """How monomials in the sums and in X move: of each the others, with polynomials in H."""
    sums = sp.symbols(f"_sum:{len(bodies)}", real=True)
    added = ((s, s + b) for s, b in zip(sums, bodies, strict=True))
    moments = Moments(Step((*sums, X), (*added, *step.updates), step.noises))
    products = (sp.Mul(*(s**k for s, k in zip((*sums, X), powers, strict=True))) for powers in asked)
    reached = (e for p in products for e in moments.reached(p))
    known = tuple(dict.fromkeys(((0,) * (len(sums) + 1), *reached)))
    place = {e: i for i, e in enumerate(known)}
    rows = [[(place[o], _in_powers(c)) for o, c in moments.row(e).items()] for e in known]
    return known, rows


def _in_powers(c: Any) -> Any:
    found = sp.Poly(c, H).all_coeffs()[::-1]
    return arb_poly(fmpq_poly([fmpq(int(x.p), int(x.q)) for x in found]))


def chain_of(known: Steps) -> Chain | None:
    """The chain that a rule with noises in it defines; None where none does."""
    count = known.count
    for sequence, running, rule in known.rules:
        noises = tuple(sorted({a for a in rule.letters if a.kind == "noises"}, key=str))
        sizes = [a for a in rule.letters if a not in (sequence, running, *noises)]
        start = dict(known.starts).get(_at(sequence, number(0)))
        one_step = sequence in rule.letters and len(sizes) == 1 and noises
        if count is None or not one_step or not isinstance(start, Number):
            continue
        formula = next((r.put({i: running}) for a, i, r in known.rules if a == sizes[0]), None)
        most = dict(known.most).get(sizes[0])
        if formula is not None and not set(formula.letters) <= {running, count}:
            formula = most = None  # with other letters it is no schedule
        return Chain(sequence, running, rule, start, sizes[0], noises, count, formula, most)
    return None
