"""Problems: the numbers that a sampler runs on, read exactly and checked before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sgtheory import registry
from sgtheory.datamodels.keeping import but
from sgtheory.errors import UnusableInput, shown
from sgtheory.files.sent import Sent
from sgtheory.notation.display import Shown, shortened
from sgtheory.reader import exact, native, reading, syntax
from sgtheory.reader.exact import Matrix, Vector

_SMALLEST = 1e-300  # what exp(-gamma eps) is zero below


@dataclass(frozen=True)
class Values(Sent):
    """What a sampler needs from a problem, complete and checked; every number exact."""

    D: int
    scalars: Mapping[str, Fraction]
    matrices: Mapping[str, Matrix]
    start: Mapping[str, Vector]
    examples: Any = None  # of a data model: sgtheory.datamodels.data.Examples
    data: Mapping[str, Any] = field(default_factory=dict)  # its rows and numbers, by name
    replacement: bool = True

    def __repr__(self) -> str:
        return f"<Values: D = {self.D}, {', '.join([*self.scalars, *self.matrices])}>"

    @property
    def vectors(self) -> Mapping[str, Vector]:
        """The vectors that updates may name: the mode, of models that have one."""
        zero = {"mode": (Fraction(0),) * self.D} if "A" in self.matrices else {}
        return zero if self.examples is None else {"mode": self.examples.mode}

    @property
    def count(self) -> int | None:
        """How many examples there are."""
        return len(next(iter(self.data.values()))) if self.data else None

    @cached_property
    def arrays(self) -> Mapping[str, Any]:
        """The matrices in float64, each entry rounded once."""
        known = {} if self.examples is None else self.examples.in_floats
        own = {name for name in known if self.matrices.get(name) is getattr(self.examples, name)}
        found = {n: known[n] if n in own else exact.floats(m) for n, m in self.matrices.items()}
        return MappingProxyType(found)

    def is_identity(self, name: str) -> bool:
        """Whether a matrix is the identity: then it need not be multiplied with."""
        import numpy as np

        return bool((self.arrays[name] == np.eye(self.D)).all())


@dataclass(frozen=True)
class Problem(Sent, Shown):
    """A model with its numbers, and the parameters of the samplers to be run on it.

    >>> problem = Problem.of({"model": "quadratic", "hessian": [[2]], "noise": [[1]],
    ...                       "N": 40, "S": 4, "params": {"eps": "1/5"}})
    >>> problem.D, problem.params["eps"]
    (1, Fraction(1, 5))
    """

    model: Any
    D: int
    matrices: Mapping[str, Matrix]
    sizes: Mapping[str, Fraction]
    params: Mapping[str, Any] = field(default_factory=dict)
    start: Mapping[str, Vector] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict, compare=False)
    numbers: Mapping[str, Fraction] = field(default_factory=dict)  # of a data model: ridge, sigma2
    replacement: bool = True
    source: str = ""  # the file that the data came from

    @classmethod
    def of(cls, content: Mapping[str, Any], folder: Path | None = None) -> Problem:
        """A problem from the content of a problem file; ``folder`` is where its data file is sought.

        Numbers may be of any kind (see ``reader.native``): arrays, frames, SymPy matrices, decimals.

        >>> import numpy as np
        >>> sgd = Problem.of({"hessian": np.diag([2, 1]), "noise": np.eye(2), "params": {"eps": 0.1}})
        >>> sgd.matrices["A"][0], sgd.params["eps"]
        ((Fraction(2, 1), Fraction(0, 1)), Fraction(1, 10))
        """
        if not isinstance(content, Mapping):
            raise UnusableInput("an object with keys", shown(content), "see the README")
        content = native.content(content)
        model = registry.model(content.get("model", "quadratic"))
        reading.check_kinds(content, model)
        if "U" in content:
            from sgtheory.reader.potentials import with_potential

            model = with_potential(model, content["U"])
        if model.shape:
            from sgtheory.datamodels.written import shaped

            model = shaped(model, content)
        params = content.get("params", {})
        sizes = reading.sizes(content, params, model)
        matrices: dict[str, Matrix] = {}
        if model.example is None:
            matrices = reading.matrices(content, model)
            dimension = len(next(iter(matrices.values())))
            extra: dict[str, Any] = {}
        else:
            from sgtheory.reader import datafile

            extra = datafile.read(content, model, folder or Path(), sizes)
            dimension = extra.pop("D")
            if model.shape:
                model = shaped(model, content, dimension)
                dimension = model.dimension
        return cls(
            model=model,
            D=dimension,
            matrices=MappingProxyType(matrices),
            sizes=MappingProxyType(sizes),
            params=MappingProxyType(reading.params(params, dimension)),
            start=MappingProxyType(reading.start(content.get("start", {}), dimension)),
            **extra,
        )

    def to_json(self) -> dict[str, Any]:
        """The problem as a problem file's content: reading it back gives the same problem."""
        names = {name: key for key, name in self.model.reads}
        content: dict[str, Any] = {"model": self.model.name}
        content |= {names[name]: reading.plain(m) for name, m in self.matrices.items()}
        if self.model.potential:
            content["U"] = self.model.potential
        if self.source:
            content["data"] = self.source
        else:
            content |= {name: reading.plain(tuple(map(reading.row, v))) for name, v in self.data.items()}
        if self.model.example is not None:
            content["replacement"] = self.replacement
        content |= {name: reading.plain(value) for name, value in self.numbers.items()}
        content |= dict(self.model.shape.counts) if self.model.shape else {}
        content |= {name: reading.plain(size) for name, size in self.sizes.items()}
        content["params"] = {name: reading.plain(value) for name, value in self.params.items()}
        if self.start:
            content["start"] = {name: reading.plain(value) for name, value in self.start.items()}
        return content

    def __str__(self) -> str:
        """One line a number: what a person wants to see; ``repr`` has every digit of everything."""
        told = {k: v for k, v in self.to_json().items() if k != "model"}
        lines = [f"{key}: {shortened(value)}" for key, value in told.items() if value not in ({}, "")]
        return "\n  ".join([f"Problem: {self.model.name}, D = {self.D}", *lines])

    def with_params(self, **params: Any) -> Problem:
        """The same problem with some parameters replaced."""
        merged = {**self.params, **reading.params(native.plain(params), self.D)}
        return but(self, params=MappingProxyType(merged))

    @cached_property
    def examples(self) -> Any:
        """The examples of a data model about its mode; None for other models."""
        if self.model.example is None:
            return None
        if self.model.shape:
            from sgtheory.numbers.minima import about_minimum

            return about_minimum(self)
        from sgtheory.datamodels import data, newton

        about_mode = newton.about_mode if self.model.nonlinear else data.about_mode
        return about_mode(self.model, self.data, self.numbers)

    def values(self, sampler: Any) -> Values:
        """The numbers a sampler needs: defaults filled in, other letters translated, all checked."""
        sampler = registry.sampler(sampler)
        reading.check_meant(self.params, self.start, self.sizes, sampler)
        _check_needs(sampler, self.params)
        scalars = {**self.sizes, **self.numbers, "f": self._finite()}
        matrices = dict(self.matrices)
        examples = self.examples if self._asks_for_mode(sampler) else None
        if examples is not None:
            matrices |= {"A": examples.A, "C": examples.C}
        for size in _sizes_of(sampler, self.model):
            if size not in scalars:
                raise UnusableInput(
                    f"{size} for {sampler.name}", "none", f'add "{size}": 100 to the problem'
                )
        for parameter in sorted(sampler.parameters, key=lambda p: _is_derived(sampler.default(p))):
            value = self._value_of(sampler, parameter, scalars, matrices)
            (matrices if isinstance(value, tuple) else scalars)[parameter.name] = value
        for short, meaning in sampler.where:
            scalars[short.name] = to_forty_digits(meaning, scalars)
        check_given(sampler, scalars)
        start = {k: v for k, v in self.start.items() if k in {s.name for s in sampler.state}}
        return Values(
            self.D, MappingProxyType(scalars), MappingProxyType(matrices), MappingProxyType(start),
            examples, self.data, self.replacement,
        )  # fmt: skip

    def _asks_for_mode(self, sampler: Any) -> bool:
        """Whether a sampler needs what is found at the mode, which a model may have not."""
        from sgtheory.language import mode, symbols_of

        if not self.model.shape:
            return True
        left = (p for p in sampler.parameters if p.name not in self.params)
        derived = any(_is_derived(sampler.default(p)) for p in left)
        return derived or any(mode in symbols_of(e) for _, e in sampler.updates)

    def _finite(self) -> Fraction:
        """What drawing without replacement leaves of a minibatch's variance: (N - S)/(N - 1)."""
        if self.replacement or not {"N", "S"} <= set(self.sizes):
            return Fraction(1)
        return (self.sizes["N"] - self.sizes["S"]) / max(self.sizes["N"] - 1, Fraction(1))

    def _value_of(self, sampler: Any, parameter: Any, scalars: Any, matrices: Any) -> Any:
        from sgtheory.declare import MatrixName

        is_matrix = isinstance(parameter, MatrixName)
        value = self.params.get(parameter.name)
        value = _through_alias(sampler, parameter, {**self.sizes, **self.params}, value)
        if value is None:
            value = sampler.default(parameter)
            if value is None:
                example = exact.example(self.D) if is_matrix else '"1/10"'
                raise UnusableInput(
                    f"the parameter {parameter} of {sampler.name}",
                    f"only {', '.join(self.params) or 'no parameters'}",
                    f'add "{parameter}": {example} to "params"',
                )
            if value == "identity":
                return exact.identity(self.D)
            if _is_derived(value):
                value = derived(value, parameter.name, scalars, matrices)
            elif not isinstance(value, Fraction):
                value = Fraction(value)
        return _check_parameter(parameter, value, is_matrix, self.D)


ProblemLike = Problem | Mapping[str, Any] | str | Path


def as_problem(given: ProblemLike) -> Problem:
    """A problem as it is, from the content of a problem file, or from the file.

    >>> as_problem({"hessian": 2, "noise": 1}).D
    1
    """
    if isinstance(given, Problem):
        return given
    return read_problem(given) if isinstance(given, str | Path) else Problem.of(given)


def read_problem(path: str | Path) -> Problem:
    """A problem from a JSON or TOML file."""
    if not isinstance(path, str | Path):
        got = f"a {type(path).__name__}"
        raise UnusableInput("the name of a problem file", got, "ask Problem.of")
    path = Path(path)
    return Problem.of(syntax.document(path, "a readable problem file, JSON or TOML"), path.parent)


def _is_derived(value: Any) -> bool:
    return hasattr(value, "rule")


def derived(default: Any, name: str, scalars: Mapping[str, Any], matrices: Mapping[str, Any]) -> Any:
    """A default that the problem determines, where it does."""
    try:
        value = default.rule(scalars, matrices)
        is_diagonal = isinstance(value, tuple) and not isinstance(value[0], tuple)
        return exact.diagonal(value) if is_diagonal else value
    except KeyError as error:
        raise UnusableInput(
            f"{error.args[0]}, which {name} = {default.words} needs", "none", f"add it, or give {name}"
        ) from None
    except ZeroDivisionError:
        raise UnusableInput(
            f"a problem that determines {name} = {default.words}",
            "a division by zero (no noise in some direction?)",
            f"give {name} yourself",
        ) from None


def to_forty_digits(meaning: Any, scalars: Mapping[str, Fraction]) -> Fraction:
    """The value of an abbreviation such as c = exp(-gamma eps)."""
    import sympy as sp

    known = {s: sp.Rational(scalars[s.name]) for s in meaning.free_symbols}
    value = sp.N(meaning.subs(known), 45)
    if not value.is_real:
        told = ", ".join(f"{s} = {v}" for s, v in known.items())
        raise UnusableInput(f"parameters at which {meaning} is a number", told, "change them")
    if abs(value) < _SMALLEST:
        return Fraction(0)
    return Fraction(str(sp.Rational(str(value))))


def _check_needs(sampler: Any, params: Mapping[str, Any]) -> None:
    needs = [n.name.name if hasattr(n, "factors") else n.name for n in sampler.needs]
    others = [letter for letter, _ in sampler.aliases]
    if needs and not any(n in params for n in (*needs, *others)):
        raise UnusableInput(
            f"one of {', '.join(needs)} for {sampler.name}",
            f"only {', '.join(params) or 'no parameters'}",
            f'add "{needs[0]}": "1/10" to "params"',
        )


def _through_alias(sampler: Any, parameter: Any, params: Mapping[str, Any], value: Any) -> Any:
    """The value that another paper's letter gives: gamma = eps/2 means eps = 2 gamma."""
    import sympy as sp

    for letter, meaning in sampler.aliases:
        if letter not in params:
            continue
        names = {k: sp.Symbol(k) for k in ("N", "S")}
        expression = sp.sympify(meaning, locals={parameter.name: parameter, **names})
        if parameter not in expression.free_symbols:
            continue
        missing = [k for k, s in names.items() if s in expression.free_symbols and k not in params]
        if missing:
            raise UnusableInput(
                f"{missing[0]}, since {letter} = {meaning}", "none", f'add "{missing[0]}": 100'
            )
        sizes = {s: sp.Rational(params[k]) for k, s in names.items() if k in params}
        expression = expression.subs(sizes)
        (solution,) = sp.solve(sp.Eq(expression, sp.Symbol(letter)), parameter)
        if not isinstance(params[letter], Fraction):
            raise UnusableInput(
                f"the number {letter}", "a matrix or a word", f'write "{letter}": "1/10"'
            )
        translated = solution.subs(sp.Symbol(letter), sp.Rational(params[letter]))
        translated = Fraction(int(translated.p), int(translated.q))
        if value is not None and value != translated:
            raise UnusableInput(
                f"one value for {parameter}",
                f"{parameter} = {value} and {letter} = {params[letter]}, which says {translated}",
                "give one of them",
            )
        return translated
    return value


def _check_parameter(parameter: Any, value: Any, is_matrix: bool, dimension: int) -> Any:
    name = parameter.name
    if is_matrix:
        matrix = value if isinstance(value, tuple) else None
        if matrix is None:
            if dimension != 1:
                raise UnusableInput(
                    f"{name} as a {dimension} x {dimension} matrix", str(value), "write its rows"
                )
            matrix = exact.matrix(value, name)
        if hasattr(parameter, "diagonal_only") and any(
            x for i, row in enumerate(matrix) for j, x in enumerate(row) if i != j
        ):
            raise UnusableInput(
                f"{name} as a diagonal matrix", "entries off the diagonal", "give the diagonal as a list"
            )
        if parameter.is_positive:
            exact.check_symmetric(matrix, name)
            exact.check_definite(matrix, name)
        return matrix
    if isinstance(value, tuple | str):
        got = repr(value) if isinstance(value, str) else "a matrix"
        raise UnusableInput(f"the number {name}", got, f'write "{name}": "1/10"')
    if parameter.is_positive and value <= 0:
        raise UnusableInput(f"a positive {name}", str(value), f"give {name} > 0")
    if parameter.is_integer and value.denominator != 1:
        raise UnusableInput(f"a whole number {name}", str(value), f"round {name}")
    return value


def _sizes_of(sampler: Any, model: Any) -> list[str]:
    from sgtheory.language import Size, symbols_of

    expressions = [e for _, e in sampler.updates] + [model.gradient]
    found = {s.name for e in expressions for s in symbols_of(e) if isinstance(s, Size)}
    return sorted(found & {"N", "S"})


def check_given(sampler: Any, scalars: Mapping[str, Fraction]) -> None:
    """Refuse numbers beyond the range that a sampler declares."""
    import sympy as sp

    for condition in sampler.given:
        numbers = {s: sp.Rational(scalars[s.name]) for s in condition.free_symbols}
        if not bool(condition.subs(numbers)):
            got = [f"{s} = {v}" for s, v in numbers.items()]
            raise UnusableInput(f"{condition} for {sampler.name}", ", ".join(got), "change it")
