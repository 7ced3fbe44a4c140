"""A declared sampler written as a step in NumPy, PyTorch or JAX, in the form that a check takes.

What is written in NumPy, compiled, is a foreign step of ours. It shares nothing with our kernels but the
declaration: a third reader, by which a check can be checked, and which turns any corrupted declaration
into a step that runs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pycode import PythonCodePrinter

from sgtheory import registry
from sgtheory.declare import Noise, ones
from sgtheory.declaring.noises import Vector
from sgtheory.errors import UnusableInput
from sgtheory.language import Curvature, FullGradient, Gradient, Prior, PriorCurvature
from sgtheory.onestep.full import symmetric_root
from verification.checking.nonlinear import check_possible
from verification.refuter.script import identifier

Array = Any
_CLOCK = "t of its own"


@dataclass(frozen=True)
class Form:
    """How a library's steps are written: all chains at once, (chains, D), or one chain, (D,)."""

    library: str
    imports: str
    xp: str  # its name there
    random: str  # the third argument
    normal: str
    apply: str
    dot: str
    one: bool = False  # a chain at a time, with keys


_ROWS = "({1} @ {0}.T)"
FORMS = {
    "numpy": Form(
        "NumPy",
        "import numpy as np",
        "np",
        "rng",
        "rng.standard_normal(theta.shape)",
        _ROWS,
        "({} * {}).sum(axis=1, keepdims=True)",
    ),
    "torch": Form(
        "PyTorch",
        "import torch",
        "torch",
        "generator",
        "torch.randn(theta.shape, generator=generator, dtype=theta.dtype)",
        _ROWS,
        "({} * {}).sum(dim=1, keepdim=True)",
    ),
    "jax": Form(
        "JAX",
        "import jax\nimport jax.numpy as jnp",
        "jnp",
        "key",
        "jax.random.normal({}, theta.shape)",
        "({0} @ {1})",
        "({} @ {})",
        one=True,
    ),
}
_OWN = frozenset(
    ["np", "torch", "jax", "jnp", "math", "root", "step", "state", "gradient", "rng", "generator", "key"]
)
_ROOT = '''

def root(M):
    """The symmetric square root of a matrix."""
    values, vectors = {xp}.linalg.eigh(M)
    return vectors * values.clip(0)**0.5 @ vectors.T
'''


@dataclass(frozen=True)
class Written:
    """The file, and the parameters that have another name in it, with what `check` calls them."""

    text: str
    names: tuple[tuple[str, str], ...]


def written(name: Any, kind: str = "numpy") -> Written:
    """A sampler, by its name or as it is declared, as a step.

    >>> print(*written("lmc").text.splitlines()[-3:], sep="\\n")
        xi = rng.standard_normal(theta.shape)
        theta = theta - gamma*N*gradient.full(theta) + 2**0.5*gamma**0.5*xi
        return theta
    """
    sampler, form = registry.sampler(name), FORMS[kind]
    check_possible(sampler)
    lines = _Printer(sampler, form, [(v, _without_prior(e)) for v, e in sampler.updates])
    code = lines.function(alone=len(sampler.state) == 1)
    shape = "an array (D,) of one chain" if form.one else "arrays (chains, D) of all chains"
    root = _ROOT.format(xp=form.xp) if "root(" in code else ""
    imports = ("import math\n\n" if "math." in code else "") + form.imports
    said = f"{sampler.title} as a step in {form.library}, on {shape}."
    text = f'"""{said}"""\n\n{imports}\n{root}\n\n{code}'
    return Written(text, tuple((a, b) for a, b in sorted(lines.params.items()) if a != b))


@dataclass(frozen=True, eq=False)
class DeclaredStep:
    """A step of the NumPy protocol, with ``init``; its state has a clock.

    >>> from verification.checking import check
    >>> check(DeclaredStep(registry.sampler("sgd")), like="sgd", dimensions=(1,)).verdict
    'conforms'
    """

    sampler: Any

    @property
    def parameters(self) -> tuple[str, ...]:
        """What it takes: all that its updates speak of."""
        return tuple(p.name for p in self.sampler.parameters)

    def __call__(self, state: Any, gradient: Any, rng: Any, **params: Any) -> dict[str, Array]:
        """All updates in order."""
        return self._run(self._step, state, gradient, rng, params) | {_CLOCK: state[_CLOCK] + 1}

    def init(self, theta: Array, rng: Any, **params: Any) -> dict[str, Array]:
        """The declared start."""
        zero = {s.name: np.zeros_like(theta) for s in self.sampler.state}
        known = {**zero, "theta": theta, _CLOCK: np.zeros_like(theta)}
        return known | self._run(self._start, known, None, rng, params)

    @cached_property
    def _step(self) -> _Compiled:
        return _compiled(self.sampler, self.sampler.updates)

    @cached_property
    def _start(self) -> _Compiled:
        return _compiled(self.sampler, self.sampler.start)

    def _run(
        self, made: _Compiled, state: Any, gradient: Any, rng: Any, params: Any
    ) -> dict[str, Array]:
        theta = state["theta"]
        known = {**params, "t": state[_CLOCK].flat[0]}
        # numbers of NumPy end as infinite where Python's raise, and would turn single into double
        number = np.float64 if theta.dtype == float else float
        given = {a: number(x) if np.ndim(x := known[b]) == 0 else x for a, b in made[1].items()}
        with np.errstate(all="ignore"):
            found = made[0](state, gradient, rng, **given)
        full = {s: np.full_like(theta, x) for s, x in found.items() if np.ndim(x) == 0}  # in its type
        return {s: np.broadcast_to(x, theta.shape).copy() for s, x in found.items()} | full


class _Scalars:
    """Functions of one number, which stays a number of NumPy, or of Python, as it was."""

    pi = math.pi

    def __getattr__(self, name: str) -> Callable[[Any], Any]:
        found = getattr(np, name)
        return lambda x: found(x) if isinstance(x, np.generic) else float(found(x))


_Compiled = tuple[Callable[..., Any], dict[str, str]]


def step_of(sampler: Any) -> DeclaredStep:
    """A sampler, by name or declaration, as a foreign step."""
    return DeclaredStep(registry.sampler(sampler))


def _compiled(sampler: Any, updates: Any) -> _Compiled:
    """A function, and its parameters with what the declaration calls them."""
    lines = _Printer(sampler, FORMS["numpy"], updates)
    space: dict[str, Any] = {"np": np, "math": _Scalars(), "root": symmetric_root}
    exec(compile(lines.function(), "declared", "exec"), space)
    return space["step"], lines.params


class _Printer(PythonCodePrinter):
    """Expressions as lines of code; whatever they speak of is noted."""

    def __init__(self, sampler: Any, form: Form, updates: Any) -> None:
        super().__init__({"fully_qualified_modules": False, "order": "none"})
        self.sampler, self.form, self.updates = sampler, form, updates
        self.where = dict(sampler.where)
        self.params: dict[str, str] = {}  # by their names in the code
        self.noises: dict[str, None] = {}
        self.batches: dict[int, None] = {}
        calls = {f for _, e in updates for f in sp.sympify(e).atoms(Gradient, Curvature)}
        self.seen = Counter(int(f.args[1]) for f in calls)  # from how many points a minibatch is seen
        self.vectors = {v.name for v, _ in updates} | {v.name for v in sampler.state}

    def function(self, alone: bool = False) -> str:
        """A step whose state has names, or is a position ``alone``."""
        body = [f"{self.letter(a)} = {self._print(_plain(e))}" for a, e in self._lines() if a != e]
        states = {s.name: self.letter(s) for s in self.sampler.state}
        each = ", ".join(f'state["{s}"]' for s in states)
        taken = [] if alone else [f"{', '.join(states.values())} = {each}"]
        back = "{" + ", ".join(f'"{s}": {one}' for s, one in states.items()) + "}"
        inside = [*taken, *self.draws(), *body, f"return {'theta' if alone else back}"]
        handed = ["theta" if alone else "state", "gradient", self.form.random, *sorted(self.params)]
        code = "".join(f"    {line}\n" for line in inside)
        return f'def step({", ".join(handed)}):\n    """One step."""\n{code}'

    def _lines(self) -> list[tuple[Any, Any]]:
        """Abbreviations and updates, in order."""
        return [*self.sampler.where, *self.updates]

    def draws(self) -> list[str]:
        """What is random, drawn before: noises, and minibatches that several gradients see."""
        shared = [k for k in self.batches if self.seen[k] > 1]
        if not self.form.one:
            made = [f"{name} = {self.form.normal}" for name in self.noises]
            return [*made, *(f"batch{k} = gradient.draw(theta)" for k in shared)]
        keys = [f"key_{name}" for name in self.noises] + [f"key{k}" for k in self.batches]
        split = f"{', '.join(keys)} = jax.random.split(key, {len(keys)})"
        made = [f"{name} = {self.form.normal.format(f'key_{name}')}" for name in self.noises]
        return [*([split] if len(keys) > 1 else [f"{key} = key" for key in keys]), *made]

    def letter(self, a: Any) -> str:
        """A name that Python can read and the code has no other use for."""
        return identifier(a.name, _OWN)

    def _print_Symbol(self, e: Any) -> str:
        name = self.letter(e)
        if isinstance(e, Noise):
            if e.law != "normal":
                raise UnusableInput("normal noise", e.law, "write the step yourself")
            self.noises[name] = None
        elif e.name == "D":
            return "theta.shape[-1]"
        elif e.name not in self.vectors and e not in self.where:
            self.params[name] = e.name
        return name

    def _print_Add(self, e: Any, **_: Any) -> str:
        """A state as it was first, then numbers and vectors, slopes, and noise."""
        text = "".join(self._signed(term) for term in sorted(e.args, key=_first))
        return text.removeprefix(" + ") if text.startswith(" + ") else f"-{text.removeprefix(' - ')}"

    def _signed(self, term: Any) -> str:
        negative = term.could_extract_minus_sign()
        text = self.parenthesize(-term if negative else term, PRECEDENCE["Add"])
        return f" - {text}" if negative else f" + {text}"

    def _print_Mul(self, e: Any) -> str:
        """One fraction: numbers first, then letters, then vectors."""
        c, rest = e.as_coeff_Mul()
        if c < 0:
            return f"-{self.parenthesize(-e, PRECEDENCE['Mul'], strict=True)}"
        over = [1 / f for f in sp.Mul.make_args(rest) if f.is_Pow and f.exp.could_extract_minus_sign()]
        up = [f for f in sp.Mul.make_args(rest) if 1 / f not in over]
        up, over = ([sp.Integer(n)] * (n != 1) + fs for n, fs in ((c.p, up), (c.q, over)))
        text, below = (
            "*".join(self.parenthesize(f, PRECEDENCE["Mul"]) for f in sorted(fs, key=_rank))
            for fs in (up, over)
        )
        return f"{text or 1}/{f'({below})' if len(over) > 1 else below}" if over else text

    def _print_Pow(self, e: Any, **_: Any) -> str:
        base, power = e.args
        if power.could_extract_minus_sign():
            return f"1/{self.parenthesize(base**-power, PRECEDENCE['Mul'], strict=True)}"
        shown = "0.5" if power == sp.S.Half else self.parenthesize(power, PRECEDENCE["Pow"])
        return f"{self.parenthesize(base, PRECEDENCE['Pow'])}**{shown}"

    def _print_Piecewise(self, e: Any) -> str:
        *cases, (last, _) = e.args
        text = self._print(last)
        for value, when in reversed(cases):
            a, condition = self._print(value), self._print(when)
            text = (
                f"jnp.where({condition}, {a}, {text})"
                if self.form.one
                else f"({a} if {condition} else {text})"
            )
        return text

    def _print_Mod(self, e: Any) -> str:
        a, b = (self.parenthesize(x, PRECEDENCE["Mul"], strict=True) for x in e.args)
        return f"{a} % {b}"

    def _print_Gradient(self, e: Any) -> str:
        point, k = self._print(e.args[0]), int(e.args[1])
        self.batches[k] = None
        if self.form.one:
            return f"gradient({point}, key{k})"
        return f"gradient({point}, batch{k})" if self.seen[k] > 1 else f"gradient({point})"

    def _print_Curvature(self, e: Any) -> str:
        if self.form.xp != "np":
            raise UnusableInput(
                "a sampler whose step sees gradients alone",
                f"{self.sampler.name}, whose step sees slopes",
                "ask for NumPy",
            )
        k = int(e.args[1])
        self.batches[k], self.seen[k] = None, 2
        return f"gradient.slope(batch{k})"

    def _print_Prior(self, e: Any) -> str:
        return f"gradient.prior({self._print(e.args[0])})"

    def _print_PriorCurvature(self, e: Any) -> str:
        return "0"

    def _print_Pi(self, e: Any) -> str:
        return "math.pi"

    def _print_FullGradient(self, e: Any) -> str:
        return f"gradient.full({self._print(e.args[0])})"

    def _print_Apply(self, e: Any) -> str:
        matrix, vector = e.args
        return self.form.apply.format(self._print(matrix), self._vector(vector))

    def _vector(self, e: Any) -> str:
        text = self.parenthesize(e, PRECEDENCE["Pow"])
        return text if e.atoms(Vector) else f"({self.form.xp}.ones_like(theta)*{text})"

    def _print_Root(self, e: Any) -> str:
        return f"root({self._print(e.args[0])})"

    def _print_DiagonalOf(self, e: Any) -> str:
        word = "diagonal" if self.form.xp == "torch" else "diag"
        return f"{self.form.xp}.{word}({self._print(e.args[0])})"

    def _print_Dot(self, e: Any) -> str:
        return self.form.dot.format(*(self._vector(x) for x in e.args))

    def _print_Function(self, e: Any) -> str:
        if not hasattr(math, type(e).__name__.lower()):
            raise UnusableInput(
                "a sampler whose step sees gradients alone",
                f"{self.sampler.name}, whose step sees the data of examples",
                "write it yourself",
            )
        word = type(e).__name__.lower()
        scalar = not any(a.name in self.vectors or isinstance(a, Noise) for a in e.free_symbols)
        module = self.form.xp if not scalar or self.form.one else "math"
        return f"{module}.{word}({self._print(e.args[0])})"

    _print_exp = _print_log = _print_cos = _print_sin = _print_tanh = _print_Function


def _plain(e: Any) -> Any:
    """An update in which a vector of ones is the number."""
    return sp.sympify(e).xreplace({ones: sp.Integer(1)})


def _without_prior(e: Any) -> Any:
    """An update where there is no prior beside the loss."""
    return sp.sympify(e).replace(lambda f: isinstance(f, Prior | PriorCurvature), lambda _: 0)


def _first(e: Any) -> tuple[bool, int, bool]:
    """The order of the terms of a sum."""
    return not isinstance(e, Vector), _rank(e), e.could_extract_minus_sign()


def _rank(e: Any) -> int:
    """Numbers, letters, vectors, slopes, and noise, in this order."""
    found = e.atoms(Noise)
    kinds = (found, e.has(Gradient, FullGradient), e.atoms(Vector), not e.is_number)
    return len(kinds) - next((k for k, one in enumerate(kinds) if one), len(kinds))
