"""Expansions in letters, in the plane, for quadratics; operators as printed; what is refused."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
import sympy as sp

from sgtheory.declare import normal
from sgtheory.errors import Unstable, UnusableInput
from sgtheory.notation.derivation import Formula
from sgtheory.numbers.numeric import law
from sgtheory.operator.stationary import _first_grid, _weights
from sgtheory.operator.step import OneStep
from sgtheory.perturbation import AtMode, at_mode, invariant_moments
from sgtheory.perturbation.hierarchy import Kind, Values, equations, moments
from sgtheory.perturbation.minibatch import Drawing
from sgtheory.problem import Problem
from tests.sgtheory.test_perturbation import larger, scaled


@pytest.mark.long
@pytest.mark.parametrize(("name", "order"), [("lmc", 1), ("sgldfp", 1), ("sgldfp", 2), ("sgd", 2)])
def test_two_dimensions_by_the_operator(name, order):
    """A chain in the plane is one of two states to the operator: its step is written here by hand."""
    rows, labels = np.array([[1.0, 0.5], [0.5, -1], [1, 2]]), np.array([1.0, 1, -1])
    gaps = []
    for k in (6, 12):
        eta, times = (Fraction(1, 2 * k), 1) if name == "sgd" else (Fraction(1, 2), k)
        content = {
            "model": "logistic_regression",
            "X": np.tile(rows, (times, 1)).tolist(),
            "y": np.tile(labels, times).astype(int).tolist(),
            "ridge": 3 * times,
            "S": 1,
            "params": {"gamma": eta / (3 * times)},
        }
        expansion = invariant_moments(name, order).at(Problem.of(content))
        step = in_the_plane(name, rows, labels, float(eta), 3 * times, expansion.minimiser)
        exact, error = by_the_operator(step, expansion.minimiser)
        mine = (*expansion.mean, *expansion.second[np.triu_indices(2)])
        gap = np.abs(exact - mine)
        gaps.append(np.array([gap[:2].max(), gap[2:].max()]))  # an entry may change its sign on the way
        assert (gaps[-1] > 30 * error).all()
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx([order + 1] * 2, abs=0.5)


def in_the_plane(name, rows, labels, eta, N, center):
    """Examples have the number that the rule of minibatches lists; noises follow."""

    def slopes(x, y):
        return [-b / (1 + np.exp(b * (x * r[0] + y * r[1]))) for r, b in zip(rows, labels, strict=True)]

    def after(x, y, i, *noises):
        at, there = slopes(x, y), slopes(*center)
        found = []
        for k, (z, c) in enumerate(((x, center[0]), (y, center[1]))):
            each = [s * r[k] for s, r in zip(at, rows, strict=True)]
            kept = [s * r[k] for s, r in zip(there, rows, strict=True)]
            if name == "lmc":
                gradient = sum(each) / 3 + z
            else:
                gradient = sum(np.where(i == j, e, 0) for j, e in enumerate(each)) + z
                if name == "sgldfp":
                    gradient = gradient - sum(np.where(i == j, e, 0) for j, e in enumerate(kept)) - c
            heat = 0 if name == "sgd" else (2 * eta / N) ** 0.5 * noises[k]
            found.append(z - eta * gradient + heat)
        return tuple(found)

    batches = (
        (np.zeros((1, 1)), np.ones(1)) if name == "lmc" else (np.arange(3.0)[:, None], np.ones(3) / 3)
    )
    return OneStep(("x", "y"), () if name == "sgd" else (normal("u"), normal("v")), after, batches)


def by_the_operator(step, center):
    grid = _first_grid(step, np.asarray(center), 0)
    found = []
    for factor in (1.0, 1.4):
        finer = grid.refined(factor)
        weights, _ = _weights(step, finer, 10)
        x = finer.nodes - center
        second = (x * weights[:, None]).T @ x
        found.append(np.array([*(weights @ x), *second[np.triu_indices(2)]]))
    return found[1], np.abs(found[1] - found[0]).max()


def test_letters_and_numbers_agree():
    for name in ("lmc", "sgld", "sgd"):
        asked, problem = invariant_moments(name, 2), larger(2, gamma="1/48")
        numbers = asked.at(problem)
        found = at_mode(problem, problem.values(name))
        formula = asked.components(1)
        known = {sp.Symbol("gamma", positive=True).name: Fraction(1, 48)}
        for equation in formula.letters:
            marks = equation.left.name
            places = [(0,) * int(d) for d in marks[1:]]
            known[marks] = found.joint(tuple(places)) if marks[0] == "V" else found.total(places[0])
        for expr, value in (
            (formula.mean[0], numbers.mean[0]),
            (formula.second[0], numbers.second[0, 0]),
        ):
            assert float(expr.subs({s: known[s.name] for s in expr.free_symbols})) == pytest.approx(
                value
            )
        variance = sum(v.subs({s: known[s.name] for s in v.free_symbols}) for v in formula.variance)
        assert float(variance) == pytest.approx(numbers.covariance[0, 0])


def test_letters_and_numbers_agree_in_the_plane():
    """Any symmetric table of derivatives will do: both solve the same equations."""
    lengths = {2: 3.0, 3: 0.7}

    def total(key):
        return 0.0 if key == (0, 1) else lengths[len(key)] + 0.4 * sum(key)

    def joint(keys):
        return 0.3 + 0.1 * sum(map(sum, keys)) if len(keys) == 2 else 0.0

    found = AtMode(np.zeros(2), total, joint)
    for name in ("lmc", "sgld", "sgd"):
        formula, numbers = (
            invariant_moments(name).components(2),
            invariant_moments(name).expand(found, 0.1),
        )
        known = {"gamma": 0.1, "lambda_1": 3.0, "lambda_2": 3.8}
        for letter in (e.left.name for e in formula.letters if e.left.name[0] in "UV"):
            places = [tuple(int(d) - 1 for d in part) for part in letter.split("_")[1:]]
            known[letter] = total(places[0]) if letter[0] == "U" else joint(tuple(places))
        for letters, values in ((formula.mean, numbers.mean), (formula.second, numbers.second.ravel())):
            got = [float(e.subs({s: known[s.name] for s in e.free_symbols})) for e in letters]
            assert got == pytest.approx(list(values), rel=1e-9)


def test_a_vanishing_step_has_the_expansion_of_the_posterior():
    """Laplace's method for exp(-U), by moments of normal laws: no step in it."""
    found = invariant_moments("lmc", 2).components(1)
    s, x = sp.symbols("s x", positive=True)
    U2, U3, U4, U5 = (e.left for e in sorted(found.letters, key=lambda e: e.left.name))
    # x = s z, z normal of variance 1/U2: exp(-U) is normal times a series in s
    rest = -(s * U3 * x**3 / 6 + s**2 * U4 * x**4 / 24 + s**3 * U5 * x**5 / 120)
    weight = sp.expand(sum(rest**k / sp.factorial(k) for k in range(4)))

    def mean(expr):
        return sum(c * (sp.factorial2(p - 1) / U2 ** (p // 2) if p % 2 == 0 else 0)
                   for (p,), c in sp.Poly(sp.expand(expr), x).terms())  # fmt: skip

    total = mean(weight)
    for power, terms in ((1, [t[1,] for t in found.terms]), (2, [t[2,] for t in found.terms])):
        series = sp.series(mean(weight * (s * x) ** power) / total, s, 0, 5).removeO()
        for order, term in enumerate(terms, start=1):
            wanted = sp.expand(series).coeff(s, 2 * order)
            assert sp.simplify(_without_step(term) - wanted) == 0


def _without_step(expr):
    (gamma,) = [s for s in expr.free_symbols if s.name == "gamma"] or [sp.Dummy()]
    return sp.limit(expr, gamma, 0)


def test_the_matrix_equation_is_the_first_order_of_the_hierarchy():
    rng = np.random.default_rng(5)
    content = {"model": "logistic_regression", "X": rng.normal(size=(6, 3)).round(2).tolist(),
               "y": [1, -1, 1, 1, -1, -1], "ridge": 2, "S": 2}  # fmt: skip
    for name in ("lmc", "sgldfp", "sgld", "sgd"):
        problem = Problem.of({**content, "params": {"gamma": "1/20"}})
        asked = invariant_moments(name)
        found = asked.at(problem)
        by_degree = asked._by_degree(at_mode(problem, problem.values(name)), 1 / 20)
        assert found.mean == pytest.approx(by_degree.mean, rel=1e-10)
        assert found.second == pytest.approx(by_degree.second, rel=1e-10)


def test_coordinates_may_be_turned():
    """Examples along two axes are two problems in one dimension, seen in turned coordinates."""
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    rows, labels = np.array([[1.0, 0], [2, 0], [-1, 0], [0, 1], [0, 3]]), [1, -1, 1, 1, -1]
    for name in ("lmc", "sgldfp", "sgd"):
        common = {
            "model": "logistic_regression",
            "y": labels,
            "ridge": 5,
            "S": 1,
            "params": {"gamma": "1/40"},
        }
        plane = invariant_moments(name, 2).at(Problem.of({**common, "X": (rows @ turn).tolist()}))
        lines = [
            invariant_moments(name, 2).at(Problem.of({**common, "X": rows[:, [k]].tolist()}))
            for k in (0, 1)
        ]
        assert turn @ plane.mean == pytest.approx([p.mean[0] for p in lines], rel=1e-9)
        turned = turn @ plane.second @ turn.T
        assert np.diag(turned) == pytest.approx([p.second[0, 0] for p in lines], rel=1e-9)
        assert turn @ plane.minimiser == pytest.approx([p.minimiser[0] for p in lines])


LINEAR = {
    "model": "linear_regression",
    "X": [[1, 0], [1, 1], [1, 2], [1, 3]],
    "y": [0, 1, 1, 3],
    "ridge": 1,
    "S": 2,
}


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("name", ["lmc", "sgldfp", "sgld", "sgd"])
def test_quadratics_are_exact(name, replacement):
    """G as printed (with f without replacement) gives the law of linear regression; twice K does not."""
    problem = Problem.of({**LINEAR, "replacement": replacement, "params": {"gamma": "1/40"}})
    exact = law(name, problem).covariance["theta", "theta"]
    asked = invariant_moments(name)
    assert asked.resummed(problem).second == pytest.approx(exact, rel=1e-10)
    assert asked.at(problem).mean == pytest.approx([0, 0], abs=1e-14)
    found = at_mode(problem, problem.values(name))
    twin = asked._leading(scaled((2, 2), 2)(found), 1 / 40, True)
    assert (twin.second == pytest.approx(exact, rel=1e-4)) == (name == "lmc")


@pytest.mark.parametrize("order", [1, 2])
def test_quadratics_in_two_dimensions_to_an_order(order):
    gaps = []
    for eta in (40, 80):
        problem = Problem.of({**LINEAR, "params": {"gamma": f"1/{4 * eta}"}})
        found = invariant_moments("sgd", order).at(problem)
        gaps.append(np.abs(found.second - law("sgd", problem).covariance["theta", "theta"]).max())
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(order + 1, abs=0.3)


def test_operators_as_printed():
    """Eqs. 7 and 14 in the paper's sums, for a minibatch with replacement."""
    rng = np.random.default_rng(7)
    rows, labels = rng.normal(size=(5, 2)), [1, -1, -1, 1, 1]
    content = {"model": "logistic_regression", "X": rows.tolist(), "y": labels, "ridge": 1, "S": 2}
    for replacement in (True, False):
        problem = Problem.of({**content, "replacement": replacement, "params": {"gamma": "1/9"}})
        found = at_mode(problem, problem.values("lmc"))
        margin = labels * (rows @ found.minimiser)
        share = 1 / (1 + np.exp(margin))
        gradients = -(np.array(labels) * share)[:, None] * rows
        hessians = (share * (1 - share))[:, None, None] * rows[:, :, None] * rows[:, None, :]
        away = hessians - hessians.mean(axis=0)
        P = np.array([[2.0, 0.5], [0.5, 1.0]])
        K = 5 / 2 * sum(R @ P @ R for R in away)
        M = sum(np.outer(g, g) for g in gradients - gradients.mean(axis=0))
        finite = 1.0 if replacement else (5 - 2) / (5 - 1)
        assert np.einsum("ikjl,kl->ij", found.multiplicative, P) == pytest.approx(finite * K, rel=1e-10)
        assert found.additive == pytest.approx(finite * 5 / 2 * M, rel=1e-10)
        assert found.hessian == pytest.approx(hessians.sum(axis=0) + np.eye(2), rel=1e-10)


@pytest.mark.parametrize("replacement", [True, False])
def test_moments_of_minibatches_by_listing_them(replacement):
    table = [
        (Fraction(1), Fraction(-2)),
        (Fraction(0), Fraction(3)),
        (Fraction(-4), Fraction(1)),
        (Fraction(3), Fraction(-2)),
    ]
    batches = list(product(table, repeat=3)) if replacement else list(combinations(table, 3))

    def mean(factors):
        return sum((Fraction(np.prod([row[k] for k in factors])) for row in table), Fraction(0)) / 4

    for factors in ((0,), (0, 1), (1, 1), (0, 0, 1), (0, 0, 1, 1), (0, 1, 1, 1)):
        listed = [np.prod([sum(row[k] for row in b) / 3 for k in factors]) for b in batches]
        assert Drawing(4, 3, replacement).moment(factors, mean) == sum(listed) / len(batches)


# --- what can be asked for, and what cannot ---


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("momentum", "theta, v"),
        ("sgfs", "the matrix E"),
        ("sgd_diagonal", "the matrix H"),
        ("reshuffled_sgd", "those before"),
    ],
)
def test_other_samplers_are_refused_by_what_is_missing(name, missing):
    with pytest.raises(UnusableInput, match=missing):
        invariant_moments(name)


def test_what_cannot_be_evaluated_is_said():
    with pytest.raises(Unstable):
        invariant_moments("sgldfp").at(larger(1, gamma=2))
    with pytest.raises(UnusableInput, match="H = I"):
        invariant_moments("sgd").at(larger(1, eps="1/9", H=[[2]]))
    with pytest.raises(UnusableInput, match="order"):
        invariant_moments("sgd", 0)
    with pytest.raises(UnusableInput, match="numbers go further"):
        invariant_moments("sgd", 2).components(2)
    flat = Problem.of({"model": "potential", "U": "x**4/4 - x**2/2", "noise": [[1]], "N": 4, "S": 1,
                       "params": {"gamma": "1/9"}})  # fmt: skip
    with pytest.raises(UnusableInput, match="strongly convex"):
        invariant_moments("lmc").at(flat)


def test_formulas_print():
    found = invariant_moments("sgld")
    assert found.small == "eta"
    assert found.remainder.text == "O(eta^2)"
    assert found.second.text.endswith("L^-1(2 I + gamma f (N/S) M) + O(eta^2)")
    assert "gamma = eps/2" in found.derivation.to_text()
    assert isinstance(found.remainder, Formula)
    for name in ("lmc", "sgldfp", "sgd"):
        derivation = invariant_moments(name).derivation
        assert [r.name for r in derivation.results] == ["second", "mean"]
        assert r"\mathrm{D}^3 U" in derivation.to_latex()
    assert invariant_moments("sgldfp", 2).remainder.latex == "O(N^{-3})"


def test_every_moment_of_an_equation_is_known_when_it_is_needed():
    """A wrong grading would leave out terms in silence: all degrees that occur are solved for."""
    for multiplicative, additive in ((False, False), (True, False), (True, True)):
        kind = Kind(1, 2, multiplicative, additive)
        values = Values(
            lambda key: Fraction(1, len(key)),
            lambda keys: Fraction(1, 7),
            Fraction(1, 3),
            Fraction(1, 5),
            Fraction(1),
        )
        known = moments(kind, values)
        for row in equations(kind).values():
            for (x,), letter in row:
                for n in range(2, 5, 2):
                    left = n + kind.first - kind.grade(letter)
                    assert x == 0 or x > left or left < 2 or ((x,), left) in known
