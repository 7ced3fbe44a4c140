"""What a step leaves as it is: E[x'^k] = E[x^k], so far as it follows from these by linear algebra."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef

from sgtheory.dynamics.firstorder import LineStep
from sgtheory.errors import UnusableInput
from sgtheory.notation.derivation import Derivation, Equation, Formula, Step
from sgtheory.notation.sentence import Sentence, listed, say
from verification.refuter.conditions import Condition, shown
from verification.refuter.places import Place
from verification.theories.chains.existence import which
from verification.theories.chains.reading import Laws, Settled, Under, linear

_MOST = 4  # powers of the place whose means stay
MEAN = sp.Function("mean")
IF_EVEN = "Where noises are that, the law is that of its negative, as the step is."
EVEN = "The law is that of its negative, as the step and its noise are."


@dataclass(frozen=True)
class Balance:
    """The powers of the place whose means give an equation, and how often each counts."""

    step: LineStep
    powers: tuple[tuple[int, Any], ...]
    number: Any  # what is left over, which is zero of an equation that follows

    @property
    def highest(self) -> int:
        """The moment that has to exist."""
        return max((k for k, _ in self.powers), default=0)


def balance(expr: Any, steps: dict[str, LineStep]) -> Balance | None:
    """How a linear expression in means of one chain is a number; None where these do not say so.

    >>> x, xi = sp.symbols("x xi", real=True)
    >>> h, T = sp.symbols("h T", positive=True)
    >>> step = LineStep(x - h * sp.sign(x) + sp.sqrt(2 * h * T) * xi, x, (xi,))
    >>> found = balance(Settled(sp.Symbol("c"), sp.Abs(x)) - T - h / 2, {"c": step})
    >>> found.powers, found.number
    (((2, -1/(2*h)),), 0)
    """
    names = {str(a.args[0]) for a in expr.atoms(Settled)}
    if len(names) != 1 or expr.atoms(Under, Laws):
        return None
    step = steps[names.pop()]
    wanted = _linear(expr.replace(Settled, lambda _, body: averaged(body, step)))
    if wanted is None:
        return None
    known = []
    for one in kept(step):
        known.append(one)
        powers = _solved(wanted, known)
        if powers is not None:
            used = tuple((j + 1, c) for j, c in enumerate(powers) if c != 0)
            more = sum(c * one.get(sp.Integer(1), 0) for c, one in zip(powers, known, strict=True))
            return Balance(step, used, sp.simplify(wanted.get(sp.Integer(1), 0) - more))
    return None


def derived(found: Balance) -> Derivation:
    """The step, and what it leaves."""
    after = Equation(Formula("x'", "x'"), found.step.after)
    told = tuple(
        Equation(Formula(rf"E[x'^{k}] - E[x^{k}], \text{{ times}}", f"E[x'^{k}] - E[x^{k}], times"), c)
        for k, c in found.powers
    )
    words = "Means of powers of the place are the same before and after a step:"
    return Derivation("What a step leaves", (Step("The step", words, (after, *told)),), ())


def kept(step: LineStep) -> Iterator[dict[Any, Any]]:
    """What is zero as E[x'^k] = E[x^k], k = 1, 2, ..., by the means in it; what stands alone under 1."""
    before, after = step.place, step.after
    if step.new is not None:  # x' + push(x') = what is added to x, and x + push(x) has the same law
        pulled = linear(step)
        if pulled is None:
            return
        push = pulled[2]
        before = before + push.subs(step.new, step.place).doit()
        after = sp.expand(after + push)
    for k in range(1, _MOST + 1):
        try:
            one = _linear(averaged(sp.expand(after**k - before**k), step))
        except UnusableInput:
            return
        if one is None:
            return
        yield one


def solved_for(body: Any, step: LineStep) -> dict[Any, Any] | None:
    """A mean in others, by the first equation that has it: the bodies of these; None where none has it.

    >>> x, xi = sp.symbols("x xi", real=True)
    >>> h = sp.symbols("h", positive=True)
    >>> step = LineStep(x - h * sp.tanh(x) + sp.sqrt(2 * h) * xi, x, (xi,))
    >>> solved_for(x * sp.tanh(x), step) == {sp.tanh(x) ** 2: h / 2, 1: 1}
    True
    """
    own = _linear(averaged(body, step))
    if own is None or len(own) != 1 or 1 in own:
        return None
    ((mean, share),) = own.items()
    for one in kept(step):
        if mean in one:
            rest = ((k, c) for k, c in one.items() if k != mean)
            scale = -share / one[mean]
            return {k.args[0] if k.has(MEAN) else k: sp.expand(sp.simplify(c * scale)) for k, c in rest}
    return None


@dataclass(frozen=True)
class Symmetric(Condition):
    """Noises are as likely to be so much above their means as below, and the chain has one law then."""

    told_as = "where noises are symmetric"

    @property
    def words(self) -> Sentence:
        """Such as ``the law of xi is symmetric about its mean, and the chain has one law then``."""
        of = listed(map(shown, self.letters), by=" and ")
        words = "the noise {} is symmetric about its mean, and the chain has one law then"
        return say(words if len(self.letters) == 1 else f"each {words}", of)

    def holds(self, place: Place) -> bool:
        """At no place: noises have the laws there that a statement names."""
        return False


def symmetric(step: LineStep) -> LineStep | None:
    """A step whose noises are put about their means by normal ones; None where all are even anyway."""
    skew = [(w, law.moment(1)) for w, law in step.drawn if not law.is_even]
    if not skew or step.new is not None:
        return None
    after = step.after.subs({w: w + mean for w, mean in skew}, simultaneous=True)
    return replace(step, after=after.replace(lambda e: e.is_Add, sp.expand), laws=())


def even(expr: Any, steps: dict[str, LineStep], settled: bool = False) -> Any:
    """An expression without means of what is odd, of steps that do with the negative what they do.

    Each has to have one law; it is ``settled`` where that is given.

    >>> x, xi = sp.symbols("x xi", real=True)
    >>> step = LineStep(x - sp.Max(-1, sp.Min(1, x + xi)), x, (xi,))
    >>> even(Settled(sp.Symbol("c"), x**3) + 2, {"c": step})
    2
    """
    gone = {}
    for one in expr.atoms(Settled):
        step = steps[str(one.args[0])]
        among = (step.place, *step.noises)
        turns = step.new is None and all(law.is_even for _, law in step.drawn)
        odd = turns and parity(one.args[1], among) == 1 and parity(step.after, among) == 1
        if odd and (settled or which(step) == "one"):
            gone[one] = sp.Integer(0)
    return expr.xreplace(gone)


def parity(expr: Any, among: tuple[Any, ...]) -> int | None:
    """1 of what is odd in some letters, 0 of what is even; None of what is neither for all one sees."""
    if not expr.has(*among):
        return 0
    if expr in among:
        return 1
    parts = [parity(part, among) for part in expr.args]
    if isinstance(expr, sp.Max | sp.Min):  # a clip between a number and its negative
        inside = [one for one in expr.args if one.has(*among)]
        ends = {*expr.args} | ({*inside[0].args} if len(inside) == 1 else set())
        fixed = [one for one in ends if not one.has(*among)]
        kept = [one for one in ends if one.has(*among) and one not in inside]
        odd = len(fixed) == len(expr.args) == 2 and len(kept) == 1 and sp.expand(sum(fixed)) == 0
        return 1 if odd and type(inside[0]) in (sp.Max, sp.Min) and parity(kept[0], among) == 1 else None
    if None in parts:
        return None
    if isinstance(expr, sp.Add):
        return parts[0] if len({*parts}) == 1 else None
    if isinstance(expr, sp.Mul):
        return sum(parts) % 2  # type: ignore[arg-type]
    if expr.is_Pow and expr.exp.is_integer and parts[1] == 0:
        return parts[0] if expr.exp.is_odd else 0 if expr.exp.is_even or parts[0] == 0 else None
    if isinstance(expr, sp.sign | sp.tanh | sp.sin):
        return parts[0]
    return 0 if isinstance(expr, sp.Abs | sp.cos) or {*parts} == {0} else None


def averaged(body: Any, step: LineStep) -> Any:
    """A mean in means of what noises do not leave: powers of noises that stand alone are averaged."""
    total = sp.Integer(0)
    for part in sp.Add.make_args(sp.expand(tidied(sp.expand(body), step))):
        factors: list[Any] = []
        inside: list[Any] = []
        for one in sp.Mul.make_args(part):
            (inside if _is_random(one, step) else factors).append(one)
        rest, more = _without_noise(inside, step)
        total += sp.Mul(*factors) * more * (1 if rest == 1 else MEAN(rest))
    return sp.expand(total)


def _is_random(one: Any, step: LineStep) -> bool:
    return bool(one.has(step.place, *step.noises))


def _without_noise(factors: list[Any], step: LineStep) -> tuple[Any, Any]:
    """What is left of a product, and the moment of noises that stand in no function."""
    powers: dict[Any, int] = {}
    left = []
    for one in factors:
        base, exponent = one.as_base_exp()
        if base in step.noises and exponent.is_integer and exponent > 0:
            powers[base] = powers.get(base, 0) + int(exponent)
        else:
            left.append(one)
    rest, more = sp.Mul(*left), sp.Integer(1)
    for noise, k in powers.items():
        if rest.has(noise):
            rest *= noise**k
        else:
            more *= step.law(noise).moment(k)
    return rest, more


def tidied(body: Any, step: LineStep) -> Any:
    """With what is known of signs, where what they are of is zero with probability zero only."""

    def power(base: Any, exponent: Any) -> Any:
        sure = isinstance(base, sp.sign) and exponent.is_integer and exponent > 1
        if not sure or not _is_never_zero(base.args[0], step):
            return base**exponent
        return base ** (exponent % 2)

    body = body.replace(lambda e: e.is_Pow, lambda e: power(*e.args))
    for one in sorted(body.atoms(sp.sign), key=str):
        inside = one.args[0]
        body = sp.expand(body).subs(one * inside, sp.Abs(inside))
    return body


def _is_never_zero(inside: Any, step: LineStep) -> bool:
    """Whether it is zero with probability zero: it has a noise, or the place has a density."""
    noisy = [w for w in step.noises if inside.has(w)]
    if noisy:
        noisy = [w for w in noisy if step.law(w).is_continuous]
        return any(inside.diff(w) != 0 and not inside.diff(w).has(step.place, w) for w in noisy)
    added = any(
        step.after.coeff(w, 1).is_nonzero and not step.after.coeff(w, 1).has(step.place)
        for w in step.noises
        if step.law(w).is_continuous
    )
    smooth = (
        inside.is_polynomial(step.place) and inside.has(step.place) and not inside.atoms(AppliedUndef)
    )
    return bool(added and smooth)


def _linear(expr: Any) -> dict[Any, Any] | None:
    """By the means in it; what stands alone under 1. None of what has products of means."""
    found: dict[Any, Any] = {}
    for part in sp.Add.make_args(sp.expand(expr)):
        means = part.atoms(MEAN)
        if len(means) > 1 or any(part.as_powers_dict().get(m) != 1 for m in means):
            return None
        key = means.pop() if means else sp.Integer(1)
        found[key] = found.get(key, sp.Integer(0)) + part / key
    return {k: sp.simplify(c) for k, c in found.items() if sp.simplify(c) != 0}


def _solved(wanted: dict[Any, Any], known: list[dict[Any, Any]]) -> tuple[Any, ...] | None:
    """How often each of some forms has to be taken, but for a number; None where no way gives it."""
    keys = list(dict.fromkeys(k for form in (wanted, *known) for k in form if k != 1))
    if not keys:
        return None
    rows = sp.Matrix([[form.get(k, 0) for form in known] for k in keys])
    right = sp.Matrix([wanted.get(k, 0) for k in keys])
    unknown = sp.symbols(f"c0:{len(known)}")
    solutions = sp.linsolve((rows, right), *unknown)
    if not solutions or solutions == sp.S.EmptySet:
        return None
    (first,) = solutions
    return tuple(sp.simplify(c.subs(dict.fromkeys(unknown, 0))) for c in first)
