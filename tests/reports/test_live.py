"""Closed forms as programs of the page's machine: another reader of them gives the formulas' values."""

import json
import math
import operator

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from reports.blocks import Figure
from reports.live import Slider, program
from reports.pages.curves import one_mode
from reports.pages.sampler import example
from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
from sgtheory.onestep.full import precision
from sgtheory.problem import Problem
from sgtheory.setting import Setting
from sgtheory.symbolic import derive

x, y = sp.symbols("x y", positive=True)
FORMS = (
    x / (2 - y), sp.sqrt(x) / y, (x + y) ** 3 - 2, sp.exp(-x * y), sp.log(x + 1) / 3,
    x ** sp.Rational(-3, 2), derive("momentum").covariance.pair,
)  # fmt: skip


def carried_out(text, at):
    """The machine again, as plainly as it can be written."""
    stack = []
    for token in text.split():
        if token in ("exp", "log"):
            stack.append(getattr(math, token)(stack.pop()))
        elif token in ("+", "*", "^"):
            b, a = stack.pop(), stack.pop()
            stack.append({"+": operator.add, "*": operator.mul, "^": operator.pow}[token](a, b))
        else:
            stack.append(at[token] if token in at else float(token))
    (found,) = stack
    return found


@pytest.mark.parametrize("form", FORMS, ids=str)
@given(numbers=st.lists(st.floats(0.1, 0.9), min_size=6, max_size=6))
def test_a_program_has_the_value_of_its_formula(form, numbers):
    letters = sorted(form.free_symbols, key=str)
    at = dict(zip(map(str, letters), numbers, strict=False))
    exact = float(form.subs({s: sp.Float(at[str(s)], 30) for s in letters}).evalf(30))
    assert carried_out(program(form), at) == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_a_program_of_something_else_has_another_value():
    assert carried_out(program(x / (2 + y)), {"x": 1, "y": 1}) != carried_out(
        program(x / (2 - y)), {"x": 1, "y": 1}
    )


def test_what_the_machine_has_not_is_no_program():
    assert program(sp.besselj(0, x)) is None
    assert program(sp.oo * x) is None
    assert program(x / (1 + sp.Abs(y - 1))) is None


@pytest.mark.parametrize(
    "numbers", [(1, 2, 3, "log"), (0, 1, 0.5, "log"), (1, 1, 1, "linear"), (1, 2, 1, "bent")]
)
def test_a_slider_needs_a_range_and_a_scale(numbers):
    with pytest.raises(UnusableInput):
        Slider("x", "x", *numbers)


def moved(name):
    """The drawing that moves on a sampler's page."""
    sampler = registry.sampler(name)
    found = one_mode(sampler, sampler.step.name, json.loads(example(sampler)))
    (live,) = [b.live for b in found if isinstance(b, Figure)]
    return live, {s.letter: s.value for s in (live.across, *live.sliders)}


def test_one_mode_of_sgd_is_the_textbook_formula():
    live, at = moved("sgd")
    exact, limit = (carried_out(text, at) for _, text in live.curves)
    eps, S = at["eps"], at["S"]  # one curvature and one noise
    assert exact == pytest.approx(eps / (S * (2 - eps)))
    assert limit == pytest.approx(eps / (2 * S))
    assert all(carried_out(c, at) > 0 for c in live.conditions)
    assert not all(carried_out(c, at | {"eps": 2.1}) > 0 for c in live.conditions)


@pytest.mark.parametrize("name", ["sgld", "local_sgld", "underdamped"])
def test_what_a_sampler_is_after_is_what_its_law_is_held_against(name):
    """A sampler that is held by a spring, or tempered, is after another law than the posterior."""
    sampler = registry.sampler(name)
    live, at = moved(name)
    own = {p.name: str(at[p.name]) for p in sampler.parameters if p.name in at}
    sizes = {"hessian": [[1]], "noise": [[1]], "N": int(at["N"]), "S": int(at["S"])}
    problem = Problem.of(sizes | {"params": own})
    ((aim,),) = precision(Setting(sampler, problem.model), problem.values(sampler))
    exact, _, after = (carried_out(text, at) for _, text in live.curves)
    assert after == pytest.approx(1 / float(aim), rel=1e-12)
    assert exact == pytest.approx(float(law(sampler, problem).covariance["theta"][0, 0]), rel=1e-9)
