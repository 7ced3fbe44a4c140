"""What can be derived of any declared step for an unspecified loss: its equation, order, density, bias.

One coordinate, with L for the mean loss. A minibatch's gradient is L' plus a normal noise of
variance C/S, each minibatch of the step with one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.dynamics.declared import PRIOR, REFUSED, Declared
from sgtheory.dynamics.density import examine, separable_density, stationary_density
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.limit import Expansion, compare, expansion, limit
from sgtheory.dynamics.modified import Modified, modified
from sgtheory.dynamics.recipe import Recipe, recipe
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.walking import LOSS
from sgtheory.errors import UnusableInput
from sgtheory.notation.derivation import Derivation, Equation, Formula, Result
from sgtheory.notation.derivation import Step as Told
from sgtheory.notation.printing import latex, plain
from sgtheory.notation.sentence import say

__all__ = ["Declared", "dynamics"]

_PREMISES = (
    "One coordinate; $L$, the mean loss, is any smooth function; the gradient of a minibatch is its"
    " slope plus a normal noise of variance $C/S$, the same everywhere."
)
_NO_BIAS = "It is not derived: that takes a density whose logarithm is a polynomial in states and $L$."
_LEFT_OVER = Formula(r"K^* \pi / \pi", "(K* pi)/pi")
_LARGE = 4  # states from which on errors beyond the first order of one step are not worked out


def tell_premises(declared: Declared) -> list[Told]:
    """What is assumed, what letters stand for, and how sizes go with the step."""
    prior = any(s.has(sp.Function(PRIOR)) for _, s in declared.step.updates)
    seen = " $R$ is the prior's part of $L$; where the minibatch is seen without it, it has $L - R$."
    told = [Told("Premises", _PREMISES + (seen if prior else ""))]
    if declared.functions:
        names = ", ".join(str(f.base) for f, _ in declared.functions)
        words = f"${names}$ may be any positive function in what follows; here it is the root of"
        told.append(Told("Letters", words, tuple(Equation(f, e) for f, e in declared.functions)))
    if declared.held:
        words = "Parameters and the clock are held at"
        told.append(Told("Held", words, tuple(Equation(p, v) for p, v in declared.held)))
    scaled = tuple(Equation(old, new) for old, new in declared.scaling.equations())
    if scaled:
        words = (
            f"With its letters fixed the step has no limit: a state jumps. It has one where"
            f" ${declared.h}$"
            " is the time of a step, the new letters are fixed, and"
        )
        told.append(Told("Sizes", words, scaled))
    return told


def _positive_roots(process: Diffusion, declared: Declared) -> Diffusion:
    """The root of the square of a positive function is that function."""
    known = {f.base: sp.Dummy(positive=True) for f, _ in declared.functions}
    back = {d: f for f, d in known.items()}
    noise = tuple(
        tuple(sp.powdenest(e.xreplace(known), force=True).xreplace(back) for e in row)
        for row in process.noise
    )
    return Diffusion(process.state, process.drift, noise)


def tell_equation(found: Expansion, h: Any) -> tuple[list[Told], list[Result]]:
    """The equation that a step solves, its weak order, the first error of one step."""
    lines = []
    for s, b, row in zip(found.process.state, found.process.drift, found.process.noise, strict=True):
        b, parts = sp.factor_terms(b, sign=False), [(k, e) for k, e in enumerate(row, start=1) if e != 0]
        right = rf"\left({latex(b)}\right) dt" + "".join(
            rf" + \left({latex(e)}\right) dW_{k}" for k, e in parts
        )
        words = f"({plain(b)}) dt" + "".join(f" + ({plain(e)}) dW{k}" for k, e in parts)
        lines.append(Equation(Formula(f"d{latex(s)}", f"d{s}"), Formula(right, words)))
    solves = Told(
        "The equation that it solves",
        f"As ${h}$ vanishes, $E f$ after a step is $f + {h} K f$, $K$ the generator of",
        tuple(lines),
    )
    left = Formula(rf"\mathbb{{E}} f(X_{{{latex(h)}}}) - e^{{{latex(h)} K}} f", f"E f(X) - exp({h} K) f")
    if found.order is None:
        return [solves], [Result(f"equation {e.left.text}", e) for e in lines]
    error = Equation(left, found.first * h ** (found.order + 1))
    words = (
        f"It is of weak order {found.order}: to leading order one step is off by ${left.text}$, which is"
    )
    parts = _by_derivative(found.first)
    sizes = tuple(Equation(d, factor, ":") for d, factor in parts)
    words += f" ${h}^{found.order + 1}$ times the sum of these derivatives of $f$, each times what"
    " follows it:"
    told = Told("Weak order", words, sizes)
    return [solves, told], [
        *(Result(f"equation {e.left.text}", e) for e in lines),
        Result("error", error),
    ]


def _by_derivative(error: Any) -> list[tuple[Any, Any]]:
    """An error in derivatives of f: each of them with what it is multiplied by."""
    found = sp.collect(sp.expand(error), sorted(_slopes(error), key=str), evaluate=False)
    told = [(d, sp.factor_terms(e, sign=False)) for d, e in found.items()]
    return sorted(told, key=lambda row: (len(row[0].variables), str(row[0])))


def _slopes(error: Any) -> set[Any]:
    return {d for d in error.atoms(sp.Derivative) if d.expr.func.__name__ == "f"}


def tell_density(process: Diffusion, log_density: Any) -> tuple[list[Told], list[Result]]:
    """Whether the equation keeps a density, and by which recipe; or what is left of it."""
    density = Equation(Formula(r"\log \pi", "log pi"), sp.sympify(log_density))
    examined = examine(process, log_density)
    if not examined.invariant:
        rest = Equation(_LEFT_OVER, examined.remainder)
        words = "The equation does not keep this density:"
        if examined.ways:
            ways = " or ".join(" and ".join(f"${r.text}$" for r in way) for way in examined.ways)
            words = f"The equation keeps this density only where {ways}:"
        return [Told("Not its density", words, (density, rest))], [Result("remainder", rest)]
    words, equations = "The equation keeps this density.", [density]
    try:
        found = recipe(process, log_density)
    except UnusableInput:
        found = None
    if isinstance(found, Recipe):
        words = (
            "The equation keeps this density: its drift is $D + Q$ times the gradient of the log"
            " density, plus the divergence of $D + Q$, for"
        )
        equations += [Equation(Formula(n, n), _matrix(m)) for n, m in (("D", found.D), ("Q", found.Q))]
    return [Told("Its density", words, tuple(equations))], [Result("density", density)]


def _matrix(m: Any) -> Formula:
    rows = [[sp.sympify(e) for e in m.row(k)] for k in range(m.rows)]
    inside = r" \\ ".join(" & ".join(latex(e) for e in row) for row in rows)
    text = ", ".join("[" + ", ".join(plain(e) for e in row) + "]" for row in rows)
    return Formula(rf"\begin{{pmatrix}} {inside} \end{{pmatrix}}", f"[{text}]")


def tell_bias(step: Step, h: Any, log_density: Any) -> tuple[list[Told], list[Result]]:
    """The first correction of the density that the step itself keeps, where it is a polynomial."""
    for order in (1, 2):
        found = modified(step, h, log_density, order, prove=False)
        if not isinstance(found, Modified):
            words = (
                f"At ${h}^{order}$ the correction of the density is no polynomial in states, $L$ and"
                f" derivatives of $L$: the equations of {found.tried} coefficients contradict each"
                f" other."
            )
            return [Told("Bias", words)], []
        if found.order is not None:
            left = Formula(rf"\pi_{{{latex(h)}}} / \pi", "pi_h/pi")
            equation = Equation(left, 1 + found.first * h**order)
            words = "To leading order, and up to a constant, the step keeps this times the density:"
            return [Told("Bias", words, (equation,))], [Result("bias", equation)]
    return [Told("Bias", f"The density is right to ${h}^2$.")], []


def _density(process: Diffusion) -> Any:
    if process.dimension == 1:
        return stationary_density(process)
    return separable_density(process, sp.Function(LOSS)(process.state[0]))


def tell_none(process: Diffusion, declared: Declared) -> list[Told]:
    """Why no density is given; and which the equation would keep if what remembers stood still."""
    if all(e == 0 for row in process.noise for e in row):
        words = "No noise is left in this limit: it is an ordinary equation, and has no density."
        return [Told("No density", words)]
    slow = [f.base.args[0] for f, _ in declared.functions if f.base.args[0] != process.state[0]]
    rows = [k for k, s in enumerate(process.state) if s not in slow and _moves(process, k)]
    held = {f.base: sp.Symbol(f"_{f.base.func}", positive=True) for f, _ in declared.functions}
    frozen = Diffusion(
        tuple(process.state[k] for k in rows),
        tuple(process.drift[k].xreplace(held) for k in rows),
        tuple(tuple(e.xreplace(held) for e in process.noise[k]) for k in rows),
    )
    found = _density(frozen) if slow else None
    if found is None:
        words = (
            "No density is found: none of the form $exp(-b L)$ times a normal density of the other"
            " states is kept, and a general solution of the Fokker-Planck equation is not attempted."
        )
        return [Told("No density", words)]
    found = found.xreplace({d: f for f, d in held.items()})
    q = sp.Function("q")(*slow)
    names = ", ".join(map(str, slow))
    marked = ", ".join(f"${s}$" for s in slow)
    left = Equation(_LEFT_OVER, _by_slope(examine(process, found + q).remainder))
    words = f"Were {marked} held, the equation would keep this density:"
    moving = (
        f"As {marked} moves with $theta$, that times $exp(q({names}))$ is kept, whatever $q$, only where"
        " this vanishes:"
    )
    density = Equation(Formula(r"\log \pi", "log pi"), found)
    return [Told("Density of the fast states", words, (density,)), Told("No density", moving, (left,))]


def _by_slope(remainder: Any) -> Any:
    """In slopes of the functions of a memory, each times its factor."""
    slopes = [d for d in remainder.atoms(sp.Derivative) if d.expr.func.__name__ not in (LOSS, PRIOR)]
    found = sp.collect(sp.expand(remainder), sorted(slopes, key=str), evaluate=False)
    return sp.Add(*(d * sp.factor(e) for d, e in found.items()))


def _moves(process: Diffusion, k: int) -> bool:
    return process.drift[k] != 0 or any(e != 0 for e in process.noise[k])


def tell_refusal(sampler: Any, refused: Exception) -> tuple[Told, ...]:
    """In the way, and beside a printing of the same algorithm that has a limit."""
    found = registry.sampler(sampler)
    why = refused.args[0] if len(refused.args) == 1 else str(refused)
    words = say("No equation is read off the step: {}.", why)
    told = [Told("What stands in the way", words)]
    family = registry.family(found.name)
    for word in family.examples if family and family.parameter == "printing" else ():
        if found.word == (family.parameter, word):
            continue
        try:
            limited = Declared.of(f"{family.name}:{word}").with_limit()
            process = _positive_roots(limit(limited.step, limited.h), limited)
            told.append(_beside(word, Declared.of(sampler, quotients=False), limited, process))
            break
        except REFUSED:
            continue
    return tuple(told)


def _beside(word: str, declared: Declared, limited: Declared, process: Diffusion) -> Told:
    scales = {s.name: scaled for s, scaled in limited.scaling.states}
    sizes = {p.name: value for p, value in limited.scaling.sizes}
    here = declared.rescaled(scales, sizes)
    gaps = compare(here.step, process, here.h)
    said = "; ".join(g.words for g in gaps) or "nothing else is in the way"
    words = (
        f"In the variables in which {word} solves an equation, and without the terms that divide by a"
        f" state: {said}. There"
    )
    equations = tuple(Equation(old, new) for old, new in limited.scaling.equations())
    return Told(f"Against the equation of {word}", words, equations)


def dynamics(
    sampler: Any,
    log_density: Any = None,
    scales: Mapping[str, tuple[Any, Any]] | None = None,
    sizes: Mapping[str, Any] | None = None,
    power: int = 3,
) -> Derivation:
    """What can be derived of a declared sampler for every smooth loss L.

    The density, if none is given, is found where there is one state, or where it is that of L and of
    squares of the other states. Where states and parameters go with powers of the step size, that is
    found, or ``scales`` and ``sizes`` say how, by name, as in ``rescaled``, in powers of the symbol h.

    >>> told = dynamics("lmc")
    >>> [step.title for step in told.steps]
    ['Premises', 'The equation that it solves', 'Weak order', 'Its density', 'Bias']
    >>> print(told.results[-1].equation.right)
    gamma*(N**2*Derivative(L(theta), theta)**2/4 - N*Derivative(L(theta), (theta, 2))/2) + 1
    >>> h, c = sp.symbols("h gamma", positive=True)
    >>> p = sp.Symbol("p", real=True)
    >>> scaled = dynamics("momentum", scales={"v": (p, h)}, sizes={"eps": h**2, "mu": c * h})
    >>> print(scaled.results[1].equation.text)
    dp = (-gamma*p - L'(theta)) dt
    >>> print(dynamics("psgld:no_gamma").results[0].equation.text)
    dtheta = (-N*r_V(V)**2*L'(theta)/2) dt + (r_V(V)) dW1
    """
    title = f"{registry.sampler(sampler).title}: for any loss, in one coordinate"
    try:
        declared = Declared.of(sampler)
        changed = scales is not None or sizes is not None
        declared = declared.rescaled(scales or {}, sizes or {}) if changed else declared.with_limit()
        order = power if len(declared.step.state) < _LARGE else min(power, 2)
        found = expansion(declared.step, declared.h, order)
    except REFUSED as refused:
        return Derivation(title, tell_refusal(sampler, refused), ())
    process = _positive_roots(found.process, declared)
    steps, results = tell_equation(Expansion(process, found.errors), declared.h)
    steps = [*tell_premises(declared), *steps]
    density = log_density if log_density is not None else _density(process)
    if density is None:
        steps += tell_none(process, declared)
        return Derivation(title, tuple(steps), tuple(results))
    more, also = tell_density(process, density)
    steps, results = steps + more, results + also
    if examine(process, density).invariant:
        try:
            more, also = tell_bias(declared.step, declared.h, density)
        except REFUSED:
            more, also = [Told("Bias", _NO_BIAS)], []
        steps, results = steps + more, results + also
    return Derivation(title, tuple(steps), tuple(results))
