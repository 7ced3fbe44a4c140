"""A declared sampler written as a step in NumPy, PyTorch or JAX, in the form that a check takes."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pycode import PythonCodePrinter

from sgtheory import registry
from sgtheory.declare import Noise, ones
from sgtheory.declaring.noises import Vector
from sgtheory.errors import UnusableInput
from sgtheory.language import Curvature, FullGradient, Gradient, Prior, PriorCurvature
from verification.checking.nonlinear import check_possible
from verification.refuter.script import identifier


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
    return vectors * values**0.5 @ vectors.T
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
    lines = _Printer(sampler, form)
    body = lines.body()
    states = {s.name: lines.letter(s) for s in sampler.state}
    alone = len(states) == 1
    each = ", ".join(f'state["{s}"]' for s in states)
    taken = f"{', '.join(states.values())} = {each}"
    back = "{" + ", ".join(f'"{s}": {one}' for s, one in states.items()) + "}"
    inside = [*([] if alone else [taken]), *lines.draws(), *body, f"return {'theta' if alone else back}"]
    code = "".join(f"    {line}\n" for line in inside)
    handed = ["theta" if alone else "state", "gradient", form.random, *sorted(lines.params)]
    shape = "an array (D,) of one chain" if form.one else "arrays (chains, D) of all chains"
    root = _ROOT.format(xp=form.xp) if "root(" in code else ""
    imports = ("import math\n\n" if "math." in code else "") + form.imports
    text = (
        f'"""{sampler.title} as a step in {form.library}, on {shape}."""\n\n{imports}\n{root}\n\n'
        f'def step({", ".join(handed)}):\n    """One step."""\n{code}'
    )
    return Written(text, tuple((a, b) for a, b in sorted(lines.params.items()) if a != b))


class _Printer(PythonCodePrinter):
    """Expressions as lines of code; whatever they speak of is noted."""

    def __init__(self, sampler: Any, form: Form) -> None:
        super().__init__({"fully_qualified_modules": False, "order": "none"})
        self.sampler, self.form = sampler, form
        self.params: dict[str, str] = {}  # by their names in the code
        self.noises: dict[str, None] = {}
        self.batches: dict[int, None] = {}
        calls = {f for _, e in sampler.updates for f in sp.sympify(e).atoms(Gradient, Curvature)}
        self.seen = Counter(int(f.args[1]) for f in calls)  # from how many points a minibatch is seen
        self.vectors = {v.name for v, _ in sampler.updates} | {v.name for v in sampler.state}

    def body(self) -> list[str]:
        """Abbreviations and updates, in order."""
        lines = [*self.sampler.where, *self.sampler.updates]
        return [f"{self.letter(a)} = {self._print(_plain(e))}" for a, e in lines if a != e]

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
        elif e.name not in self.vectors and e not in dict(self.sampler.where):
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
        return f"gradient.slope(batch{e.args[1]})"

    def _print_FullGradient(self, e: Any) -> str:
        return f"gradient.full({self._print(e.args[0])})"

    def _print_Apply(self, e: Any) -> str:
        matrix, vector = e.args
        return self.form.apply.format(self._print(matrix), self.parenthesize(vector, PRECEDENCE["Pow"]))

    def _print_Root(self, e: Any) -> str:
        return f"root({self._print(e.args[0])})"

    def _print_DiagonalOf(self, e: Any) -> str:
        word = "diagonal" if self.form.xp == "torch" else "diag"
        return f"{self.form.xp}.{word}({self._print(e.args[0])})"

    def _print_Dot(self, e: Any) -> str:
        return self.form.dot.format(*(self.parenthesize(x, PRECEDENCE["Pow"]) for x in e.args))

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
    """An update where there is no prior beside the loss; a vector of ones is the number."""
    return (
        sp.sympify(e).replace(lambda f: isinstance(f, Prior | PriorCurvature), lambda _: 0).subs(ones, 1)
    )


def _first(e: Any) -> tuple[bool, int, bool]:
    """The order of the terms of a sum."""
    return not isinstance(e, Vector), _rank(e), e.could_extract_minus_sign()


def _rank(e: Any) -> int:
    """Numbers, letters, vectors, slopes, and noise, in this order."""
    found = e.atoms(Noise)
    kinds = (found, e.has(Gradient, FullGradient), e.atoms(Vector), not e.is_number)
    return len(kinds) - next((k for k, one in enumerate(kinds) if one), len(kinds))
