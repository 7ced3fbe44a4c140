"""Problems: the numbers that a sampler runs on, read exactly and checked before anything is computed."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sgtheory import exact, registry
from sgtheory.errors import UnusableInput
from sgtheory.exact import Matrix, Vector

_OWN_KEYS = ("model", "N", "S", "params", "start")
_ALIASES = {"p": "S"}


@dataclass(frozen=True)
class Values:
    """What a sampler needs from a problem, complete and checked; every number exact."""

    D: int
    scalars: Mapping[str, Fraction]
    matrices: Mapping[str, Matrix]
    start: Mapping[str, Vector]

    @cached_property
    def arrays(self) -> Mapping[str, Any]:
        """The matrices in float64, each entry rounded once."""
        return MappingProxyType({name: exact.floats(m) for name, m in self.matrices.items()})

    def is_identity(self, name: str) -> bool:
        """Whether a matrix is the identity: then it need not be multiplied with."""
        import numpy as np

        return bool((self.arrays[name] == np.eye(self.D)).all())


@dataclass(frozen=True)
class Problem:
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

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> Problem:
        """A problem from the content of a problem file."""
        if not isinstance(content, Mapping):
            raise UnusableInput("an object with keys", type(content).__name__, "see the README")
        model = registry.model(content.get("model", "quadratic"))
        _check_keys(content, (*_OWN_KEYS, *_ALIASES, *(key for key, _ in model.reads)))
        matrices = _read_matrices(content, model)
        dimension = len(next(iter(matrices.values())))
        params = content.get("params", {})
        if not isinstance(params, Mapping):
            raise UnusableInput('"params" as an object', repr(params), 'write {"eps": "1/5"}')
        _check_keys(params, _known_parameters(), "parameter")
        return cls(
            model=model,
            D=dimension,
            matrices=MappingProxyType(matrices),
            sizes=MappingProxyType(_read_sizes(content, params)),
            params=MappingProxyType(_read_params(params, dimension)),
            start=MappingProxyType(_read_start(content.get("start", {}), dimension)),
        )

    def to_json(self) -> dict[str, Any]:
        """The problem as a problem file's content: reading it back gives the same problem."""
        names = {name: key for key, name in self.model.reads}
        content: dict[str, Any] = {"model": self.model.name}
        content |= {names[name]: _plain(m) for name, m in self.matrices.items()}
        content |= {name: _plain(size) for name, size in self.sizes.items()}
        content["params"] = {name: _plain(value) for name, value in self.params.items()}
        if self.start:
            content["start"] = {name: _plain(value) for name, value in self.start.items()}
        return content

    def with_params(self, **params: Any) -> Problem:
        """The same problem with some parameters replaced."""
        return Problem.of(self.to_json() | {"params": {**self.to_json()["params"], **params}})

    def values(self, sampler: Any) -> Values:
        """The numbers a sampler needs: defaults filled in, other letters translated, all checked."""
        sampler = registry.sampler(sampler)
        _check_needs(sampler, self.params)
        scalars = dict(self.sizes)
        matrices = dict(self.matrices)
        for parameter in sampler.parameters:
            value = self._value_of(sampler, parameter)
            (matrices if isinstance(value, tuple) else scalars)[parameter.name] = value
        for size in _sizes_of(sampler, self.model):
            if size not in scalars:
                raise UnusableInput(
                    f"{size} for {sampler.name}", "none", f'add "{size}": 100 to the problem'
                )
        _check_given(sampler, scalars)
        start = {k: v for k, v in self.start.items() if k in {s.name for s in sampler.state}}
        return Values(
            self.D, MappingProxyType(scalars), MappingProxyType(matrices), MappingProxyType(start)
        )

    def _value_of(self, sampler: Any, parameter: Any) -> Any:
        from sgtheory.declare import MatrixName

        is_matrix = isinstance(parameter, MatrixName)
        value = self.params.get(parameter.name)
        value = _through_alias(sampler, parameter, self.params, value)
        if value is None:
            value = sampler.default(parameter)
            if value is None:
                example = "[[1, 0], [0, 1]]" if is_matrix else '"1/10"'
                raise UnusableInput(
                    f"the parameter {parameter} of {sampler.name}",
                    f"only {', '.join(self.params) or 'no parameters'}",
                    f'add "{parameter}": {example} to "params"',
                )
            if value == "identity":
                return exact.identity(self.D)
            value = Fraction(value)
        return _check_parameter(parameter, value, is_matrix, self.D)


def read_problem(path: str | Path) -> Problem:
    """A problem from a JSON or TOML file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableInput("a readable problem file", f"{path}: {error}", "check the path") from None
    return Problem.of(_parse(text, path))


def _parse(text: str, path: Path) -> Any:
    import tomllib

    def refuse(word: str) -> Any:
        raise UnusableInput("finite numbers", f"{word} in {path.name}", "replace it by a number")

    try:
        if path.suffix == ".toml":
            return tomllib.loads(text, parse_float=lambda s: _decimal(s, refuse))
        return json.loads(text, parse_float=Fraction, parse_constant=refuse)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise UnusableInput(
            "a JSON or TOML problem file", f"{path.name}: {error}", "mend the syntax"
        ) from None
    except RecursionError:
        raise UnusableInput(
            "a problem file", f"{path.name} nests too deeply", "write plain lists of rows"
        ) from None


def _decimal(text: str, refuse: Any) -> Fraction:
    return refuse(text) if "n" in text else Fraction(text.replace("_", ""))


def _check_keys(content: Mapping[str, Any], known: Any, what: str = "key") -> None:
    for key in content:
        if key not in known:
            near = difflib.get_close_matches(str(key), [str(k) for k in known], 1)
            remedy = f"did you mean {near[0]!r}?" if near else f"remove the {what} {str(key)[:40]!r}"
            raise UnusableInput(f"a known {what}", repr(str(key)[:40]), remedy)


def _known_parameters() -> tuple[str, ...]:
    found = {"T", *_ALIASES}  # T is the averaging window
    for sampler in registry.samplers().values():
        found |= {p.name for p in sampler.parameters} | {letter for letter, _ in sampler.aliases}
    # the letters of the papers, so that one file can serve samplers that are still to come
    found |= {"eps", "mu", "H", "E", "gamma", "beta", "alpha", "lambda", "sigma", "eta"}
    return tuple(sorted(found))


def _read_matrices(content: Mapping[str, Any], model: Any) -> dict[str, Matrix]:
    matrices: dict[str, Matrix] = {}
    for key, name in model.reads:
        if key not in content:
            raise UnusableInput(f'the key "{key}"', "none", f'add "{key}": [[1, 0], [0, 1]]')
        matrices[name] = exact.matrix(content[key], key)
        exact.check_symmetric(matrices[name], key)
        exact.check_definite(matrices[name], key, strictly=name != "C")
    (first, one), *others = ((key, len(matrices[name])) for key, name in model.reads)
    for key, dimension in others:
        if dimension != one:
            raise UnusableInput(
                f"{first} and {key} of one dimension", f"{one} and {dimension}", "make them agree"
            )
    return matrices


def _read_sizes(content: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, Fraction]:
    sizes: dict[str, Fraction] = {}
    for key in ("N", "S", *_ALIASES):
        for place in (content, params):
            if key in place:
                size, name = exact.number(place[key], key), _ALIASES.get(key, key)
                if size.denominator != 1 or size < 1:
                    raise UnusableInput(f"{key} as a whole number from 1", str(size), "count")
                if sizes.setdefault(name, size) != size:
                    raise UnusableInput(
                        f"one value for {name}", f"{sizes[name]} and {size}", "give it once"
                    )
    return sizes


def _read_params(params: Mapping[str, Any], dimension: int) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for key, value in params.items():
        if key in _ALIASES:
            continue
        if isinstance(value, list | tuple):
            read[key] = exact.matrix(value, key)
            if len(read[key]) != dimension:
                raise UnusableInput(
                    f"{key} as a {dimension} x {dimension} matrix",
                    f"{len(read[key])} x {len(read[key])}",
                    "match the dimension of the problem",
                )
        else:
            read[key] = exact.number(value, key)
    return read


def _read_start(start: Any, dimension: int) -> dict[str, Vector]:
    if not isinstance(start, Mapping):
        raise UnusableInput('"start" as an object', repr(start)[:40], 'write {"theta": [0, 1]}')
    return {str(k): exact.vector(v, f"start of {k}", dimension) for k, v in start.items()}


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
        expression = sp.sympify(meaning, locals={parameter.name: parameter})
        if letter not in params or parameter not in expression.free_symbols:
            continue
        (solution,) = sp.solve(sp.Eq(expression, sp.Symbol(letter)), parameter)
        number = sp.Rational(str(params[letter]))
        translated = Fraction(str(solution.subs(sp.Symbol(letter), number)))
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
        if parameter.is_positive:
            exact.check_symmetric(matrix, name)
            exact.check_definite(matrix, name)
        return matrix
    if isinstance(value, tuple):
        raise UnusableInput(f"the number {name}", "a matrix", f'write "{name}": "1/10"')
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


def _check_given(sampler: Any, scalars: Mapping[str, Fraction]) -> None:
    import sympy as sp

    for condition in sampler.given:
        numbers = {s: sp.Rational(str(scalars[s.name])) for s in condition.free_symbols}
        if not bool(condition.subs(numbers)):
            got = ", ".join(f"{s} = {v}" for s, v in numbers.items())
            raise UnusableInput(f"{condition} for {sampler.name}", got, "change it")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(v) for v in value]
    return int(value) if value.denominator == 1 else str(value)
