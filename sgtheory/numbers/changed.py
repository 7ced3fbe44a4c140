"""Checked numbers with some of them replaced, and all that follows from them."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from sgtheory.declare import MatrixName, Sampler
from sgtheory.problem import Values, check_given, derived, to_forty_digits


def changed(
    values: Values, sampler: Sampler, given: Container[str], numbers: Mapping[str, Any]
) -> Values:
    """The values with other numbers; derived defaults follow, but for parameters that are ``given``.

    >>> from sgtheory import registry
    >>> from sgtheory.problem import Problem
    >>> sgd = registry.sampler("sgd")
    >>> values = Problem.of({"hessian": 2, "noise": 1, "S": 4, "params": {"eps": "1/5"}}).values(sgd)
    >>> changed(values, sgd, (), {"eps": "1/7"}).scalars["eps"]
    Fraction(1, 7)
    """
    scalars: dict[str, Any] = dict(values.scalars) | {k: Fraction(x) for k, x in numbers.items()}
    if "S" in numbers and not values.replacement:
        scalars["f"] = (scalars["N"] - scalars["S"]) / max(scalars["N"] - 1, Fraction(1))
    matrices: Mapping[str, Any] = values.matrices
    for parameter in sampler.parameters:
        default = sampler.default(parameter)
        if hasattr(default, "rule") and parameter.name not in numbers and parameter.name not in given:
            found = derived(default, parameter.name, scalars, matrices)
            if isinstance(parameter, MatrixName):
                matrices = {**matrices, parameter.name: found}
            else:
                scalars[parameter.name] = found
    for short, meaning in sampler.where:
        scalars[short.name] = to_forty_digits(meaning, scalars)
    check_given(sampler, scalars)
    found = replace(values, scalars=MappingProxyType(scalars), matrices=matrices)
    if matrices is values.matrices:  # the same in floats: a search asks for them a thousand times
        found.__dict__["arrays"] = values.arrays
    return found
