"""Formulas: against exact numbers, and their checks against wrong twins."""

import dataclasses
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from hypothesis import assume, given, settings
from mpmath import mpf, workdps

from sgtheory import registry
from sgtheory.declare import Card, Sampler, gradient, positive, state
from sgtheory.errors import UnusableInput
from sgtheory.independent.recheck import check_identity, check_series, check_stability, check_stationary
from sgtheory.language import step_in
from sgtheory.modepairs.matrixform import law_equation
from sgtheory.modepairs.pairs import LI, LJ, stationary
from sgtheory.modepairs.quantities import TIMES, WHATS
from sgtheory.modepairs.stability import stability
from sgtheory.notation.printing import tidy
from sgtheory.numbers.numeric import law
from sgtheory.onestep.affine import LAMBDA
from sgtheory.problem import Problem
from sgtheory.symbolic import derive
from tests.sgtheory.brute_force import Evaluator, equation
from tests.sgtheory.brute_force import stationary as brute
from tests.sgtheory.scanning import affine, period
from tests.sgtheory.strategies import problems, scaled_for

SAMPLERS = tuple(n for n in affine() if period(n) is not None)  # that settle
CLOCKS = tuple(n for n in SAMPLERS if period(n) != 1)
CASES = [(n, t) for n in SAMPLERS for t in TIMES if t == "discrete" or n not in CLOCKS]
SLOW = ("reshuffled_sgd", "svrg_ld")


def setting(name):
    return derive(name).setting


@cache
def formulas(name, time, period):
    return derive(name, time=time, period=period if name in CLOCKS else None).covariance


@cache
def functions(name, time, period):
    """The formulas as functions in 40 digits: what is expanded may cancel, and near a pole it does."""
    found = []
    for block, formula in formulas(name, time, period).blocks.items():
        symbols = sorted(formula.free_symbols, key=str)
        found.append((block, [s.name for s in symbols], sp.lambdify(symbols, formula, "mpmath")))
    return found


@pytest.mark.parametrize(
    ("name", "time"),
    [pytest.param(n, t, marks=[pytest.mark.strong] if n in SLOW else []) for n, t in CASES],
)
@settings(max_examples=15)
@given(problem=problems(sizes=(2, 4), gains=False))
def test_pair_formula_gives_the_law_in_the_eigenbasis(name, time, problem):
    sampler = registry.sampler(name)
    problem = scaled_for(problem, sampler)
    values = problem.values(sampler)
    brutal = Evaluator(sampler, values)
    M, Q = brutal.linear(time == "continuous", steps=brutal.period)
    assume(np.linalg.cond(equation(M, time)) < 1e12)  # on a pole floats have no law to compare with
    P = brute(M, Q, time)
    A = np.array([[float(x) for x in row] for row in values.matrices["A"]])
    C = np.array([[float(x) for x in row] for row in values.matrices["C"]])
    w, U = np.linalg.eigh(A)
    shared = {"C_ij": U.T @ C @ U, "delta_ij": np.eye(len(A))}
    if "E" in values.matrices:
        E = np.array([[float(x) for x in row] for row in values.matrices["E"]])
        shared["EE_ij"] = U.T @ E @ E.T @ U
    names = [s.name for s in sampler.state]
    d = problem.D
    numbers = {k: mpf(v.numerator) / v.denominator for k, v in values.scalars.items()}
    with workdps(40):
        for (a, b), letters, function in functions(name, time, brutal.period):
            i, j = names.index(a) * d, names.index(b) * d
            expected = U.T @ P[i : i + d, j : j + d] @ U
            for r, c in np.ndindex(d, d):
                here = {k: mpf(v[r, c]) for k, v in shared.items()}
                here |= {"lambda_i": mpf(w[r]), "lambda_j": mpf(w[c])}
                got = function(*(here[k] if k in here else numbers[k] for k in letters))
                assert abs(float(got) - expected[r, c]) <= 1e-9 * (abs(P).max() or 1)


@pytest.mark.parametrize(("name", "time"), CASES)
def test_matrix_equation_holds_for_random_matrices(name, time):
    source = np.random.default_rng(3)
    pair = stationary(setting(name), time)
    g, h, k = source.standard_normal((3, 4, 4))
    matrices = {"A": g @ g.T + np.eye(4), "C": h @ h.T, "H": k @ k.T + np.eye(4), "E": g}
    problem = Problem.of(
        {"hessian": matrices["A"].tolist(), "noise": matrices["C"].tolist(), "N": 4, "S": 2,
         "params": {"eps": 0.001, "mu": 0.3, "H": matrices["H"].tolist(), "E": g.tolist()}}
    )  # fmt: skip
    sampler = registry.sampler(name)
    problem = with_own_letters(problem, sampler)
    matrices["H"] = value_of(problem, sampler, "H", np.eye(4))
    matrices["E"] = value_of(problem, sampler, "E", np.eye(4))
    found = law(name, problem, time=time).covariance
    matrices |= {"Sigma": found["theta", "theta"], "EE^T": matrices["E"] @ matrices["E"].T}
    equation = law_equation(pair)
    left, right = (
        value(side, matrices, problem.values(name).scalars) for side in (equation.left, equation.right)
    )
    assert abs(left - right).max() < 1e-11 * abs(left).max()
    # the wrong twin: without the correction of second order in the step it fails
    assert abs(1.001 * left - right).max() > 1e-4 * abs(left).max()


def with_own_letters(problem, sampler):
    """Small steps in every sampler's letters; diagonal gains where those are asked for."""
    letters = {"tau": 1.5, "h": 1, "h_max": 1, "L": 2, "T": 2}
    if "eta" in {p.name for p in sampler.parameters}:
        letters |= {"eta": 0.001, "alpha": 0.3, "beta": 0.1}
    if sampler.name == "local_sgld":
        letters |= {"beta": 0.6, "gamma": 2, "delta": 1}
    content = problem.to_json()
    params = {**content["params"], **letters}
    for p in sampler.parameters:
        if hasattr(p, "diagonal_only"):
            params[p.name] = [1, 2, 3, 4]
    if sampler.name == "underdamped":
        params |= {"gamma": 0.7, "eps": 0.02}
    if sampler.name == "sgfs_bounded":
        del params["E"]
    if sampler.name in ("lmc", "sgldfp"):  # gamma is their step
        params |= {"gamma": 0.0005}
        del params["eps"]
    return Problem.of({**content, "params": params})


def value_of(problem, sampler, name, otherwise):
    matrices = problem.values(sampler).matrices
    return np.array(matrices[name], float) if name in matrices else otherwise


def value(expr, matrices, scalars):
    total = np.zeros((4, 4))
    for term in sp.Add.make_args(sp.expand(expr)):
        coefficients, words = term.args_cnc()
        product = np.eye(4)
        for word in words:
            base, power = word.as_base_exp()
            letters = base.args if base.is_Mul else (base,)
            for _ in range(int(power)):
                for letter in letters:
                    product = product @ matrices[letter.name]
        scalar = sp.Mul(*coefficients)
        total += float(scalar.subs({s: float(scalars[s.name]) for s in scalar.free_symbols})) * product
    return total


@pytest.mark.parametrize(("name", "time"), CASES)
def test_the_independent_check_rejects_wrong_twins(name, time):
    pair = stationary(setting(name), time)
    assert check_stationary(pair).passed
    assert check_stationary(pair).error_probability < Fraction(1, 10**25)
    twins = [
        lambda r: 2 * r,
        lambda r: -r,
        lambda r: r.subs(LI, 2 * LI),
        lambda r: r + sp.ones(*r.shape),
    ]
    if any(s.name == "C_ij" for s in pair.symbols):  # isotropic noise alone reaches no unequal modes
        twins.append(lambda r: r + (LI - LJ) * sp.ones(*r.shape))  # not symmetric
    for twin in twins:
        wrong = dataclasses.replace(
            pair, responses=tuple(sp.ImmutableMatrix(twin(r)) for r in pair.responses)
        )
        assert not check_stationary(wrong).passed


@pytest.mark.parametrize("name", SAMPLERS)
def test_stability_conditions_and_their_twin(name):
    form = stationary(setting(name)).form
    region = stability(form)
    assert check_stability(region.conditions, form.setting, form.gain, "discrete").passed
    wrong = tuple(c.subs(LAMBDA, 2 * LAMBDA) for c in region.conditions)  # half the step
    assert not check_stability(wrong, form.setting, form.gain, "discrete").passed


LARGE = ("underdamped", "sghmc")  # four orders of what is long already
SERIES = [pytest.param(n, marks=[pytest.mark.long] if n in LARGE else []) for n in SAMPLERS]


@pytest.mark.parametrize("name", SERIES)
def test_series_agree_to_their_order_and_no_further(name):
    found = derive(name).covariance
    step = step_in(stationary(setting(name)).form.M)
    if not found.written_out(step.name, 3).has(step):  # exact in the position: nothing to expand
        return
    expanded = [found.series(step.name, order) for order in range(5)]
    assert any(a != b for a, b in pairwise(expanded))
    for order in range(1, 5):
        exact = found.written_out(step.name, order)
        assert check_series(exact, expanded[order], step, order).passed
        if expanded[order - 1] != expanded[order]:
            assert not check_series(exact, expanded[order - 1], step, order).passed


@pytest.mark.parametrize(("name", "time"), CASES)
def test_tidy_changes_nothing(name, time):
    pair = stationary(setting(name), time)
    for a in pair.form.states:
        for b in pair.form.states:
            entry = pair.entry(a.name, b.name)
            assert entry == 0 or check_identity(tidy(entry), entry, "the tidy form").passed


UNTUNED = (
    "lmc", "local_sgld", "reshuffled_sgd", "sgd_m", "sghmc", "sghmc_refreshed", "sghmc_velocity_first",
    "sgld", "svrg_ld",
    "sgldfp", "sghmc_velocity_first_refreshed", "underdamped",
)  # fmt: skip


def absent(name):
    """What a sampler has not."""
    missing = {"ess", "average", "temperature", "extrapolation"} if name in CLOCKS else set()
    missing |= set() if registry.sampler(name).kinetic else {"temperature"}
    return missing | ({"tuning"} if name in UNTUNED else set())


@pytest.mark.parametrize("what", WHATS)
@pytest.mark.parametrize("name", SAMPLERS)
def test_every_derivation_prints_in_every_form(name, what):
    for time in (t for n, t in CASES if n == name):
        if what in absent(name) or (what == "extrapolation" and time == "continuous"):
            with pytest.raises(UnusableInput):
                derive(name, time=time).derivation(what)
            continue
        told = derive(name, time=time).derivation(what, 2 if what in ("covariance", "all") else None)
        assert told.to_text()
        assert told.to_latex().count("{") == told.to_latex().count("}")
        assert "```math" in told.to_markdown()
        assert told.to_json()["schema"] == "sgtheory.notation.derivation/1"
        assert "Matrix(" not in told.to_latex()


def test_one_dimension_of_sgd_is_the_textbook_formula():
    pair = derive("sgd").covariance.pair
    a, c = sp.symbols("a c", positive=True)
    eps = next(s for s in pair.free_symbols if s.name == "eps")
    S = next(s for s in pair.free_symbols if s.name == "S")
    one = pair.subs({LI: a, LJ: a, sp.Symbol("C_ij", real=True): c})
    assert sp.simplify(one - eps * c / (S * a * (2 - eps * a))) == 0


def test_what_never_settles_is_told():
    """Momentum without friction keeps what it has along a mode; two unequal modes hide that."""
    theta, v = state("theta v")
    eps = positive("eps")
    card = Card(loss="mean", drift="eps")
    updates = ((v, v - eps * gradient(theta)), (theta, theta + v))
    kept = Sampler(state=(theta, v), updates=updates, convention=card)
    with pytest.raises(UnusableInput, match="never settles"):
        assert derive(kept).covariance is None
    damped = ((v, v * sp.Rational(1, 2) - eps * gradient(theta)), updates[1])
    assert derive(Sampler(state=(theta, v), updates=damped, convention=card)).covariance.pair != 0
