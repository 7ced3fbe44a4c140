"""The checks that a declaration must pass when it is made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from sgtheory.datamodels.coordinates import ExampleNumber, ExampleRow, Letter
from sgtheory.declaring.noises import Noise
from sgtheory.declaring.shapes import kind
from sgtheory.errors import DeclarationError
from sgtheory.language import (
    CONSTANT_VECTORS,
    Gradient,
    Local,
    MatrixName,
    Parameter,
    Size,
    Spread,
    State,
    symbols_of,
)

if TYPE_CHECKING:
    from sgtheory.declare import Model, Sampler

_LEGAL = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
RESERVED = {"A", "B", "C", "D", "N", "R0", "S", "f", "t", "ones", "mode", "x"}


def check_sampler(sampler: Sampler) -> None:
    """Raise a DeclarationError where a sampler's declaration contradicts itself."""
    _check_names(sampler)
    if not any(s.name == "theta" for s in sampler.state):
        raise DeclarationError(
            "a state called theta", ", ".join(map(str, sampler.state)), "name the position theta"
        )
    known: set[Any] = set(sampler.state)
    for place, target, expr in _walk(sampler.updates):
        where = f"update {place} ({target})"
        _check_target(sampler, target, where)
        _checksymbols_of(sampler, expr, known, where)
        _check_shape(expr, where)
        _check_real(expr, where)
        known.add(target)
    _check_all_used(sampler)
    _check_start(sampler)
    _check_extras(sampler)
    _check_given(sampler)
    try:
        hash((sampler.convention, sampler.aliases, sampler.rules, sampler.cites))
    except TypeError as error:
        raise DeclarationError(
            "words, numbers and tuples of them", str(error), "write them so"
        ) from None


def _check_real(expr: Any, where: str) -> None:
    """Numbers of a formula are real and finite, and its functions are known ones."""
    strange = [x for x in (sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I) if expr.has(x)]
    strange += sorted(map(str, expr.atoms(AppliedUndef)))
    if strange:
        raise DeclarationError(
            f"finite real numbers in {where}", str(strange[0]), "write a formula that has a value"
        )


def _check_given(sampler: Sampler) -> None:
    """Conditions are inequalities between parameters."""
    for condition in sampler.given:
        if not isinstance(condition, Relational | BooleanAtom) or not all(
            isinstance(s, Parameter | Size) or any(s == short for short, _ in sampler.where)
            for s in condition.free_symbols
        ):
            raise DeclarationError(
                "given= as inequalities of parameters", str(condition), "such as mu <= 1"
            )


def _check_names(sampler: Sampler) -> None:
    everything: list[Any] = [*sampler.state, *sampler.noises]
    for _, target, expr in _walk(sampler.updates):
        everything += [
            target,
            *(s for s in symbols_of(expr) if isinstance(s, Parameter | MatrixName)),
        ]
    by_name: dict[str, Any] = {}
    for symbol in everything:
        name = getattr(symbol, "name", str(symbol))
        if not _LEGAL.match(name):
            raise DeclarationError(
                "names of letters, digits and underscores that begin with a letter",
                f"the name {name!r}",
                "rename it in ASCII",
            )
        if name in RESERVED:
            raise DeclarationError(
                f"a name that the language does not use itself ({', '.join(sorted(RESERVED))})",
                f"the name {name!r}",
                "choose another",
            )
        if by_name.setdefault(name, symbol) != symbol:
            raise DeclarationError(
                "one meaning for each name",
                f"{name!r} as a {_role(by_name[name])} and as a {_role(symbol)}",
                "rename one of them",
            )


def _role(symbol: Any) -> str:
    return type(symbol).__name__.lower()


def _check_target(sampler: Sampler, target: Any, where: str) -> None:
    if isinstance(target, Local) or target in sampler.state:
        return
    raise DeclarationError(
        f"{where} to write a state ({', '.join(map(str, sampler.state))}) or a local",
        f"{target}, which is neither",
        f"add {target} to state=, or make it with local({str(target)!r})",
    )


def _checksymbols_of(sampler: Sampler, expr: Any, known: set[Any], where: str) -> None:
    for symbol in sorted(symbols_of(expr), key=str):
        known_kind = isinstance(symbol, Parameter | MatrixName | Size | ExampleRow | ExampleNumber)
        if known_kind or symbol in CONSTANT_VECTORS:
            continue
        if isinstance(symbol, State | Local):
            if symbol not in known:
                raise DeclarationError(
                    f"{where} to use what an earlier update has made",
                    f"{symbol}, which has no value yet",
                    "reorder the updates, or add it to state=",
                )
        elif isinstance(symbol, Noise):
            if symbol not in sampler.noises:
                raise DeclarationError(
                    f"every noise of {where} in noises=", str(symbol), f"add {symbol} to noises="
                )
        else:
            raise DeclarationError(
                f"only declared symbols in {where}",
                f"the undefined symbol {symbol}",
                f"declare it, for example {symbol} = positive({str(symbol)!r})",
            )


def _check_shape(expr: Any, where: str) -> None:
    if expr != 0 and kind(expr) != "vector":
        raise DeclarationError(
            f"a vector on the right of {where}", f"the scalar {expr}", "multiply it by ones"
        )


def _check_all_used(sampler: Sampler) -> None:
    used = set().union(*(symbols_of(e) for _, e in (*sampler.updates, *sampler.start)))
    for noise in sampler.noises:
        if noise not in used:
            raise DeclarationError(
                "every noise to be used", f"{noise}, which no update uses", "remove it or use it"
            )
    written = {target for target, _ in sampler.updates}
    for s in sampler.state:
        if s not in written:
            raise DeclarationError(
                "every state to be updated", f"{s}, which no update writes", "remove it or write it"
            )


def _check_start(sampler: Sampler) -> None:
    for target, expr in sampler.start:
        if target not in sampler.state or target.name == "theta":
            raise DeclarationError(
                "start= to set states other than theta",
                str(target),
                "theta starts where the user says",
            )
        if expr != 0:
            _check_shape(sp.sympify(expr), f"the start of {target}")
        if sp.sympify(expr).atoms(Gradient):
            raise DeclarationError("a start without gradients", str(expr), "use noise and numbers")


def _check_extras(sampler: Sampler) -> None:
    """The kinetic energies and the words for choices belong to what is declared."""
    for s, _ in sampler.kinetic:
        if s not in sampler.state:
            raise DeclarationError("kinetic= to name states", str(s), "add it to state=")
    letters = {s for _, e in (*sampler.updates, *sampler.where) for s in symbols_of(sp.sympify(e))}
    for x in sampler.target:
        strange = sorted(str(s) for s in symbols_of(sp.sympify(x)) if s not in letters)
        if strange:
            raise DeclarationError("target= in letters of the updates", ", ".join(strange), "use these")
    for key, value, known in (
        ("batches", sampler.batches, ("independent", "reshuffled")),
        ("limit", sampler.limit, ("increments", "step")),
    ):
        if value not in known:
            raise DeclarationError(f"{key}= as one of {', '.join(known)}", repr(value), "choose one")


def check_model(model: Model) -> None:
    """Raise a DeclarationError where a model's declaration contradicts itself."""
    if model.gradient is None:
        raise DeclarationError("a gradient= or an example=", "neither", "say what a step can see")
    for label, expr in (("gradient", model.gradient), ("full_gradient", model.full_gradient)):
        allowed = {model.x, *model.noises, *CONSTANT_VECTORS, *model.data}
        for symbol in sorted(symbols_of(expr), key=str):
            if symbol not in allowed and not isinstance(
                symbol, Parameter | MatrixName | Size | Spread | Letter
            ):
                raise DeclarationError(
                    f"the model's {label} in x, its noises and its parameters",
                    f"the undefined symbol {symbol}",
                    "declare it or add it to noises=",
                )
        _check_shape(expr, label)
    for noise in model.noises:
        if noise not in symbols_of(model.gradient):
            raise DeclarationError(
                "every noise to be used", f"{noise} in no gradient", "remove it or use it"
            )


def _walk(updates: Any) -> Iterator[tuple[int, Any, Any]]:
    """The updates with their place, for messages that say where."""
    for place, (target, expr) in enumerate(updates, start=1):
        yield place, target, sp.sympify(expr)
