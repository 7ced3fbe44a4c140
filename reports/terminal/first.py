"""First files: each works at once, as it is written."""

from __future__ import annotations

from typing import Any

CLAIM = '''"""Claims of a paper, as printed: no line here says whether one is true.

Run: sgtheory verify {name}
"""

from verification.statements import Assumption
from verification.notation import A, C, S, Sigma, SmallestEigenvalue, eps, mu, trace
from verification.statements import Compare, Equal, claim

SMALL_STEPS = Assumption("the step is small enough for the continuous-time limit", small="eps")

# An equation that the stationary covariance of a sampler is printed to satisfy. C is the covariance
# of one example's gradient; see sgtheory list samplers for the names of samplers. It is read of the
# limit in continuous time; with time="discrete" it is about the algorithm as it runs.
eq1 = claim(
    "eq1",
    at="Eq. 1",
    title="Stationary covariance of SGD with momentum",
    says="Momentum only rescales the covariance of constant SGD.",
    of="momentum",
    given=(SMALL_STEPS,),
    printed=Equal(A * Sigma + Sigma * A, eps / (mu * S) * C),
)

# An equation between matrices or numbers; with a sampler named, moments of its law may stand in it.
eq2 = claim(
    "eq2",
    at="Eq. 2",
    title="Energy of constant SGD",
    says="The mean energy does not depend on the curvature.",
    of="sgd",
    printed=Equal(trace(A * Sigma), eps / (2 * S) * trace(C)),
)

# A bound; the report says whether it is tight.
eq3 = claim(
    "eq3",
    at="Eq. 3",
    title="Size of the stationary covariance",
    says="The covariance is bounded by the noise over the smallest curvature.",
    of="sgd",
    kinds=(("A", "diagonal"),),
    printed=Compare(trace(Sigma), "<=", eps * trace(C) / (2 * S * SmallestEigenvalue(A))),
)
'''

SAMPLER = '''"""My sampler: momentum whose velocity is refreshed a little in every step."""

import numpy as np
from sympy import sqrt

from sgtheory.declare import Card, N, Sampler, gradient, normal, positive, state

theta, v = state("theta v")  # vectors that the chain carries; the position is called theta
xi = normal("xi")  # a standard normal vector, fresh in every step
h, mu = positive("h mu")  # numbers that the user sets, by any names

# One step, line by line: each line sees what those before it wrote. gradient(theta) is that of the
# mean loss on a fresh minibatch, and N the number of examples.
MY_SAMPLER = Sampler(
    state=(theta, v),
    noises=(xi,),
    updates=(
        (v, (1 - mu) * v - h * N * gradient(theta) + sqrt(2 * mu * h) * xi),
        (theta, theta + v),
    ),
    given=(mu <= 1,),
    convention=Card(
        loss="mean",
        drift="h N",
        noise="sqrt(2 mu h) times a standard normal vector, on the velocity",
        N="the update multiplies the mean gradient by N",
        order="velocity first",
    ),
)


# The same step as code that runs, on arrays of one row to a chain:
# sgtheory check {name}:step --like {name}
def step(state, gradient, rng, h, mu, N):
    """One step of all chains."""
    theta, v = state["theta"], state["v"]
    v = (1 - mu) * v - h * N * gradient(theta) + np.sqrt(2 * mu * h) * rng.standard_normal(v.shape)
    return {{"theta": theta + v, "v": v}}


def init(theta, rng, **params):
    """The first state of all chains."""
    return {{"theta": theta, "v": np.zeros_like(theta)}}
'''

TEST = '''"""Tests of a step: does it have the law that it should?

Run: pytest {name}
"""

import numpy as np
import pytest

from verification.strategies import problems


def step(theta, gradient, rng, eps, N):
    """Stochastic gradient Langevin dynamics; take your own step here."""
    noise = rng.standard_normal(theta.shape)
    return theta - eps / 2 * N * gradient(theta) + np.sqrt(eps) * noise


def test_my_step_has_its_law(assert_samples_law):
    assert_samples_law(step, like="sgld", fixed={{"H": "identity"}}, dimensions=(1, 2))


@pytest.mark.ensemble(effect=0.1)
def test_our_kernels_have_their_law(ensembles):
    ensembles.check("sgld", problems("sgld", dims=(1, 2)), count=20, steps=8)
'''

LIBRARY = '''"""The samplers of {library} {version}: does each have the law of its own algorithm?

Run: pytest {{name}}
"""

import pytest

pytest.importorskip("{module}")

SAMPLERS = (
{samplers})


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_it_has_the_law_of_its_own_algorithm(assert_samples_law, sampler):
    assert_samples_law(sampler, dimensions=(1, 2))
'''

_MATRICES = {"hessian": [[2, 1], [1, "3/2"]], "noise": [[1, "1/4"], ["1/4", 2]]}
_ROWS = [[1, 0], [1, 1], [1, 2], [1, 3], [1, 4], [1, 5]]
_STEPS = ("1/20", "1/100", "1/500", "1/2500", "1/12500")
_USUAL = "1/2"
_OTHERS = (_USUAL, "1/4", "9/10", "2", "1/20")
_TRIED = 60
_SHRUNK = ("1/2", "1/20", "1/200", "1/2000", "1/20000", "1/200000")
_MOST = 300


def test_of_a_library(name: str) -> str:
    """The content of a test of all samplers of a library that have a ready step.

    >>> "torch.sgd_momentum" in test_of_a_library("torch")
    True
    """
    from sgtheory.errors import UnusableInput
    from verification.conventions import entry, libraries, names

    ready = [n for n in names() if entry(n).target]
    known = sorted({n.partition(".")[0] for n in ready})
    mine = [n for n in ready if n.partition(".")[0].lower() == name.lower()]
    if not mine:
        remedy = "for another write: sgtheory new test, and check its step --like a declaration"
        raise UnusableInput(f"a library with ready steps: {', '.join(known)}", name, remedy)
    found = libraries()[mine[0].partition(".")[0]]
    samplers = "".join(f'    "{n}",\n' for n in mine)
    module = found.module or found.package
    return LIBRARY.format(library=found.name, version=found.version, module=module, samplers=samplers)


def problem(model: Any, sampler: Any) -> dict[str, Any]:
    """The content of a first problem: every field of a model, and the parameters of a sampler.

    >>> from sgtheory import registry
    >>> found = problem(registry.model("quadratic"), registry.sampler("sgd"))
    >>> sorted(found), found["params"]
    (['N', 'S', 'hessian', 'model', 'noise', 'params'], {'eps': '1/20'})
    """
    content: dict[str, Any] = {"model": model.name}
    if model.example is None:
        flat = [key for key, _ in model.reads] == ["noise"]
        content |= {key: [[1]] if flat else _MATRICES[key] for key, _ in model.reads}
        content |= {"U": model.potential} if model.potential else {}
        content |= {"N": 40, "S": 4}
    else:
        content |= _data(model)
    # a step is always given: its default is for those who have a gain
    letters = [p for p in sampler.parameters if sampler.default(p) is None or p == sampler.step]
    params = {p.name: _value(p, content, sampler.step) for p in letters}
    return _settled(sampler, {**content, "params": params})


def _data(model: Any) -> dict[str, Any]:
    from sgtheory.language import DataVector

    labels = {str(number): allowed for number, allowed in model.labels}
    content: dict[str, Any] = dict(model.shape.counts) if model.shape else {}
    for symbol in model.data:
        allowed = labels.get(symbol.name, (0, 1, 1, 3, 3, 4))
        numbers = [allowed[k % len(allowed)] for k in range(len(_ROWS))]
        content[symbol.name] = _ROWS if isinstance(symbol, DataVector) else numbers
    given = {p.name for p, _ in model.defaults}
    content |= {p.name: 1 for p in model.parameters if p.name not in given}
    return {**content, "S": 2, "replacement": True}


def _value(parameter: Any, content: dict[str, Any], step: Any) -> Any:
    from sgtheory.declare import MatrixName

    if isinstance(parameter, MatrixName):
        size = len(
            next(v for v in content.values() if isinstance(v, list) and isinstance(v[0], list))[0]
        )
        return [[int(i == j) for j in range(size)] for i in range(size)]
    return _STEPS[0] if parameter == step else 2 if parameter.is_integer else _USUAL


def _settled(sampler: Any, content: dict[str, Any]) -> dict[str, Any]:
    """With the first step, and numbers for the other parameters, at which the chain settles."""
    from itertools import chain, islice, product

    step, params = sampler.step.name, content["params"]
    others = [n for n, value in params.items() if n != step and value == _USUAL]
    choices = product(product(_OTHERS, repeat=len(others)), _STEPS if step in params else (None,))
    usual = (
        {**dict(zip(others, values, strict=True)), **({} if size is None else {step: size})}
        for values, size in islice(choices, _TRIED)
    )
    numbers = [*others, step] if step in params else others
    shrunk = sorted(product(range(len(_SHRUNK)), repeat=len(numbers)), key=lambda k: (sum(k), max(k)))
    smaller = (
        {name: _SHRUNK[k] for name, k in zip(numbers, places, strict=True)}
        for places in (shrunk[:_MOST] if numbers else ())
    )
    for chosen in chain(usual, smaller):
        tried = {**content, "params": {**params, **chosen}}
        stable = settles(sampler, tried)
        if stable is None:
            break
        if stable:
            return tried
    return content


def settles(sampler: Any, content: dict[str, Any]) -> bool | None:
    """Whether a sampler is stable on a problem; None where that has no closed form."""
    from sgtheory.errors import NotAffine, UnusableInput
    from sgtheory.numbers.numeric import in_floats
    from sgtheory.problem import Problem
    from sgtheory.setting import Setting

    try:
        problem = Problem.of(content)
        return in_floats(Setting(sampler, problem.model), problem.values(sampler)).stable
    except NotAffine:
        return None
    except (UnusableInput, ArithmeticError):  # what its declaration asks of them, perhaps
        return False
