"""What can be derived of any declared step for an unspecified loss: its equation, order, density, bias.

One coordinate, with L for the mean loss. A minibatch's gradient is L' plus a normal noise of
variance C/S, each minibatch of the step with one of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from sgtheory import registry
from sgtheory.derivation import Derivation, Equation, Formula, Result
from sgtheory.derivation import Step as Told
from sgtheory.dynamics.density import examine, separable_density, stationary_density
from sgtheory.dynamics.diffusion import Diffusion
from sgtheory.dynamics.halfpowers import Inconsistent
from sgtheory.dynamics.limit import Expansion, expansion, rescaled
from sgtheory.dynamics.modified import Modified, modified
from sgtheory.dynamics.recipe import Recipe, recipe
from sgtheory.dynamics.steps import Step
from sgtheory.dynamics.walking import LOSS, NoRule
from sgtheory.errors import UnusableInput
from sgtheory.language import Apply, D, Dot, FullGradient, Gradient, MatrixName, S, ones, step_in
from sgtheory.language import t as clock
from sgtheory.noises import Normal
from sgtheory.printing import latex, plain

_C = sp.Symbol("C", positive=True)
_PREMISES = (
    "One coordinate; L, the mean loss, is any smooth function; the gradient of a minibatch is its slope"
    " plus a normal noise of variance C/S, the same everywhere."
)
_REFUSED = (UnusableInput, NoRule, Inconsistent)


@dataclass(frozen=True)
class Declared:
    """A declared step in one coordinate, with L for the mean loss, and the symbol of its step size."""

    step: Step
    h: Any

    @classmethod
    def of(cls, sampler: Any) -> Declared:
        """By the sampler's name or declaration.

        >>> found = Declared.of("sgld")
        >>> found.step.noises, found.h
        ((xi, w_0), eps)
        """
        found = registry.sampler(sampler)
        if found.batches == "reshuffled" or any(sp.sympify(e).has(clock) for _, e in found.updates):
            raise UnusableInput("steps that are alike", f"those of {found.name}", "unroll a period")
        gains = {str(getattr(m, "name", m)) for m, value in found.defaults if value == "identity"}
        where: dict[Any, Any] = dict(found.where)
        draws: dict[Any, Any] = {}
        written = [(t, _number(sp.sympify(e), gains).subs(where)) for t, e in found.updates]
        letters = {*found.state, *(t for t, _ in written)}
        plainly = {s: sp.Symbol(s.name, real=True) for s in letters}
        position = plainly[found.state[0]]
        updates = tuple(
            (plainly[t], _with_loss(e.xreplace(plainly), position, draws)) for t, e in written
        )
        step = Step(tuple(plainly[s] for s in found.state), updates, (*found.noises, *draws.values()))
        return cls(
            step, step_in(sp.Add(*(p for p in found.parameters if not isinstance(p, MatrixName))))
        )

    def rescaled(self, scales: Mapping[str, tuple[Any, Any]], sizes: Mapping[str, Any]) -> Declared:
        """In other variables and powers of the step, all by name."""
        if not scales and not sizes:
            return self
        states = {s.name: s for s in self.step.state}
        parameters = {s.name: s for s in (*self.step.parameters, self.h)}
        unknown = [n for n in (*scales, *sizes) if n not in {**states, **parameters}]
        if unknown:
            raise UnusableInput(
                "names of states and parameters", ", ".join(unknown), "see the declaration"
            )
        step = rescaled(
            self.step,
            {states[n]: scaled for n, scaled in scales.items()},
            {parameters[n]: value for n, value in sizes.items()},
        )
        return Declared(step, sp.Symbol("h", positive=True))


def _number(expr: Any, gains: set[Any]) -> Any:
    """In one coordinate: matrices are positive numbers, a gain that defaults to the identity is 1."""

    def factor(matrix: Any) -> Any:
        name = str(matrix.args[0] if matrix.args else matrix)
        value = sp.Integer(1) if name in gains else sp.Symbol(name, positive=True)
        return sp.sqrt(value) if matrix.args else value

    found = expr.replace(Dot, lambda x, y: x * y)
    while found.has(Apply):
        found = found.replace(Apply, lambda matrix, inner: factor(matrix) * inner)
    return found.subs({ones: 1, D: 1})


def _with_loss(expr: Any, x: Any, draws: dict[Any, Any]) -> Any:
    """Gradients as derivatives of L, with the noise of their minibatch."""

    def slope(at: Any) -> Any:
        inner = sp.Function(LOSS)(x).diff(x)
        return inner if at == x else sp.Subs(inner, x, at)

    def drawn(at: Any, k: Any = 0) -> Any:
        noise = draws.setdefault(k, Normal(f"w_{k}", real=True))
        return slope(at) + sp.sqrt(_C) / sp.sqrt(S) * noise

    return expr.replace(FullGradient, slope).replace(Gradient, drawn)


def tell_equation(found: Expansion, h: Any) -> tuple[list[Told], list[Result]]:
    """The equation that a step solves, its weak order, the first error of one step."""
    lines = []
    for s, b, row in zip(found.process.state, found.process.drift, found.process.noise, strict=True):
        parts = [(k, e) for k, e in enumerate(row, start=1) if e != 0]
        right = rf"\left({latex(b)}\right) dt" + "".join(
            rf" + \left({latex(e)}\right) dW_{k}" for k, e in parts
        )
        words = f"({plain(b)}) dt" + "".join(f" + ({plain(e)}) dW{k}" for k, e in parts)
        lines.append(Equation(Formula(f"d{latex(s)}", f"d{s}"), Formula(right, words)))
    solves = Told(
        "The equation that it solves",
        f"As {h} vanishes, E f after a step is f + {h} L f, L the generator of",
        tuple(lines),
    )
    left = Formula(rf"\mathbb{{E}} f(X_{{{latex(h)}}}) - e^{{{latex(h)} L}} f", f"E f(X) - exp({h} L) f")
    if found.order is None:
        return [solves], [Result(f"equation {e.left.text}", e) for e in lines]
    error = Equation(left, found.first * h ** (found.order + 1))
    told = Told(
        "Weak order", f"It is of weak order {found.order}: to leading order one step is off by", (error,)
    )
    return [solves, told], [
        *(Result(f"equation {e.left.text}", e) for e in lines),
        Result("error", error),
    ]


def tell_density(process: Diffusion, log_density: Any) -> tuple[list[Told], list[Result]]:
    """Whether the equation keeps a density, and by which recipe; or what is left of it."""
    density = Equation(Formula(r"\log \pi", "log pi"), sp.sympify(log_density))
    examined = examine(process, log_density)
    if not examined.invariant:
        rest = Equation(Formula(r"\mathcal{L}^* \pi / \pi", "(L* pi)/pi"), examined.remainder)
        words = "The equation does not keep this density:"
        if examined.ways:
            ways = " or ".join(" and ".join(r.text for r in way) for way in examined.ways)
            words = f"The equation keeps this density only where {ways}:"
        return [Told("Not its density", words, (density, rest))], [Result("remainder", rest)]
    words, equations = "The equation keeps this density.", [density]
    try:
        found = recipe(process, log_density)
    except UnusableInput:
        found = None
    if isinstance(found, Recipe):
        words = "The equation keeps this density, with drift (D + Q) grad log pi + div(D + Q) for"
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
                f"At {h}^{order} the correction of the density is no polynomial in states, L and"
                f" derivatives of L: the equations of {found.tried} coefficients contradict each other."
            )
            return [Told("Bias", words)], []
        if found.order is not None:
            left = Formula(rf"\pi_{{{latex(h)}}} / \pi", "pi_h/pi")
            equation = Equation(left, 1 + found.first * h**order)
            words = "To leading order, and up to a constant, the step keeps this times the density:"
            return [Told("Bias", words, (equation,))], [Result("bias", equation)]
    return [Told("Bias", f"The density is right to {h}^2.")], []


def _density(process: Diffusion) -> Any:
    if process.dimension == 1:
        return stationary_density(process)
    return separable_density(process, sp.Function(LOSS)(process.state[0]))


def dynamics(
    sampler: Any,
    log_density: Any = None,
    scales: Mapping[str, tuple[Any, Any]] | None = None,
    sizes: Mapping[str, Any] | None = None,
    power: int = 3,
) -> Derivation:
    """What can be derived of a declared sampler for every smooth loss L.

    The density, if none is given, is found where there is one state, or where it is that of L and of
    squares of the other states. Where states and parameters go with roots of the step size,
    ``scales`` and ``sizes`` say how, by name, as in ``rescaled``, in powers of the symbol h.

    >>> told = dynamics("lmc")
    >>> [step.title for step in told.steps]
    ['Premises', 'The equation that it solves', 'Weak order', 'Its density', 'Bias']
    >>> print(told.results[-1].equation.right)
    gamma*(N**2*Derivative(L(theta), theta)**2/4 - N*Derivative(L(theta), (theta, 2))/2) + 1
    >>> eps, h, c = sp.symbols("eps h gamma", positive=True)
    >>> v, p = sp.symbols("v p", real=True)
    >>> scaled = dynamics("momentum", scales={"v": (p, h)}, sizes={"eps": h**2, "mu": c * h})
    >>> print(scaled.results[1].equation.text)
    dp = (-gamma*p - Derivative(L(theta), theta)) dt
    """
    title = f"{registry.sampler(sampler).title}: for any loss, in one coordinate"
    try:
        declared = Declared.of(sampler).rescaled(scales or {}, sizes or {})
        found = expansion(declared.step, declared.h, power)
    except _REFUSED as refused:
        words = f"No equation is read off the step: {refused}."
        return Derivation(title, (Told("What stands in the way", words),), ())
    steps, results = tell_equation(found, declared.h)
    steps.insert(0, Told("Premises", _PREMISES))
    density = log_density if log_density is not None else _density(found.process)
    if density is not None:
        more, also = tell_density(found.process, density)
        steps, results = steps + more, results + also
        if examine(found.process, density).invariant:
            try:
                more, also = tell_bias(declared.step, declared.h, density)
            except _REFUSED as refused:
                more, also = [Told("Bias", f"It is not derived: {refused}.")], []
            steps, results = steps + more, results + also
    return Derivation(title, tuple(steps), tuple(results))
