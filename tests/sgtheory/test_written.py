"""Gradients made from losses: against the losses themselves, written here by hand, and their minima."""

import json

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize

from sgtheory import Problem, registry
from sgtheory.datamodels.written import Share
from sgtheory.declare import ones
from sgtheory.errors import UnusableInput
from sgtheory.numbers.balls import balls, evaluate
from sgtheory.numbers.minima import _Loss, certified, definite, minima_of, minimum
from sgtheory.reader.potentials import parsed
from sgtheory.setting import Setting
from simulators import interpret
from simulators.bind import bind
from simulators.lower import lower

X = [[1, 0], [1, 1], [1, -1], [2, 1], [0, 1], [1, 2], [-1, 1]]
COMMON = {"X": X, "ridge": 1, "S": 3, "params": {"eps": 1, "lambda": "1/100", "alpha": "1/2", "m": 2}}
CONTENTS = {
    "softmax_regression": {"classes": 3, "y": [0, 1, 2, 1, 0, 2, 1]},
    "network": {"hidden": 2, "y": [0, 1, 2, 1, 0, "5/2", 1], "sigma2": "1/2"},
    "logistic_regression": {"y": [1, 1, -1, 1, -1, 1, 1]},
    "linear_regression": {"y": [1, 2, 0, 1, -1, 3, 0], "sigma2": "1/2"},
}
WRITTEN = ("softmax_regression", "network")


def problem(model, **more):
    return Problem.of({"model": model, **COMMON, **CONTENTS[model], **more})


def softmax(theta, x, y, p):
    margins = theta.reshape(3, 2) @ x
    return np.log(np.exp(margins).sum()) - margins[int(y)]


def network(theta, x, y, p):
    hidden = 1 / (1 + np.exp(-theta[:4].reshape(2, 2) @ x))
    return (theta[6] + theta[4:6] @ hidden - y) ** 2 / (2 * float(p.numbers["sigma2"]))


def logistic(theta, x, y, p):
    return np.log1p(np.exp(-y * (theta @ x)))


def linear(theta, x, y, p):
    return (theta @ x - y) ** 2 / (2 * float(p.numbers["sigma2"]))


LOSSES = dict(zip(CONTENTS, (softmax, network, logistic, linear), strict=True))


def mean_loss(p, theta, among):
    """The mean loss over some examples, with the ridge that they share."""
    rows, labels = (np.array(p.data[k], np.longdouble) for k in ("X", "y"))
    each = [LOSSES[p.model.name](theta, rows[n], labels[n], p) for n in among]
    return sum(each) / len(each) + (theta @ theta) / (2 * len(rows))


def differences(p, theta, among, second=False):
    """First or second derivatives in each coordinate alone, by central differences in long double."""
    h, theta = np.longdouble("1e-4" if second else "1e-6"), theta.astype(np.longdouble)
    found = []
    for unit in np.eye(len(theta), dtype=np.longdouble):
        up, here, down = (mean_loss(p, theta + s * h * unit, among) for s in (1, 0, -1))
        found.append((up - 2 * here + down) / h**2 if second else (up - down) / (2 * h))
    return np.array(found, float)


def seen(p, name, theta, among):
    """What one minibatch shows a sampler: SGD's step is the gradient, pSGLD's gives the slope too."""
    sampler = registry.sampler(name)
    b = bind(lower(Setting(sampler, p.model)), p.values(sampler))
    state = {s: np.ones((1, len(theta))) for s in b.program.states} | {"theta": theta[None]}
    noise = {"i0": np.array([among]), "xi": np.zeros((1, len(theta)))}
    return b, interpret.run_block(b, b.program.body, state, noise, {})


@pytest.mark.parametrize("model", CONTENTS)
def test_gradients_are_the_losses_slopes(model):
    p, among = problem(model), [1, 4, 4]
    D = p.D
    theta = np.linspace(-1.1, 1.3, D)
    _, after = seen(p, "sgd", theta, among)
    got = (theta - after["theta"][0]) / 1
    assert abs(got - differences(p, theta, among)).max() < 1e-9
    assert abs(got - differences(p, theta, [1, 4, 5])).max() > 1e-3  # the wrong twin: another example


@pytest.mark.parametrize("model", CONTENTS)
def test_curvatures_are_the_losses_second_slopes(model):
    """pSGLD's Gamma is -(1 - alpha) g slope G^2/sqrt(V): solved for the slope, against differences."""
    p, among = problem(model), [1, 4, 5]
    theta = np.linspace(-1.1, 1.3, p.D)
    _, full = seen(p, "psgld", theta, among)
    _, without = seen(p, "psgld:no_gamma", theta, among)
    f = differences(p, theta, among)
    g = f - theta / len(X)
    V = (1 + g * g) / 2
    G = 1 / (0.01 + np.sqrt(V))
    Gamma = (full["theta"] - without["theta"])[0] * 2
    slope = -2 * Gamma * np.sqrt(V) / (g * G * G)
    right = differences(p, theta, among, second=True)
    likelihood = right - 1 / len(X)
    assert abs(slope - likelihood).max() < 1e-5
    assert abs(slope - differences(p, theta, [1, 4, 4], second=True)).max() > 1e-2  # another example
    assert abs(slope - right).max() > 1e-2  # with the ridge, which G does not see


def test_large_margins_do_no_harm():
    """exp overflows beyond 709: shares and their slopes are 0 or 1 there, and not nan."""
    p = problem("softmax_regression", ridge=0)
    theta = 5000.0 * np.linspace(-1.1, 1.3, p.D)
    for name in ("sgd", "psgld"):
        with np.errstate(all="ignore"):
            assert np.isfinite(seen(p, name, theta, [1, 4, 5])[1]["theta"]).all()
    a, b = sp.symbols("a b")
    assert sp.simplify(Share.plain(a, b).diff(a) - Share(a, b).diff(a).replace(Share, Share.plain)) == 0
    assert sp.simplify(Share.plain(a, b).diff(b) - Share(a, b).diff(b).replace(Share, Share.plain)) == 0


@pytest.mark.parametrize("model", CONTENTS)
def test_minima_are_certain(model):
    """A minimiser that knows the loss alone ends in the box, as near as it can see."""
    p = problem(model, start={"theta": [0.1 * k for k in range({"network": 7}.get(model, 2))]}) \
        if model != "softmax_regression" else problem(model)  # fmt: skip
    found = minimum(p)
    everything = range(len(X))
    other = minimize(lambda t: float(mean_loss(p, t, everything)), found.point + 0.01, method="BFGS",
                     options={"gtol": 1e-9})  # fmt: skip
    assert abs(other.x - found.point).max() < 1e-5
    assert found.radius.max() < 1e-13
    diagonal = differences(p, found.point, everything, second=True)
    assert (abs(np.diag(found.hessian) - diagonal) < 1e-5 + np.diag(found.hessian_radius)).all()
    loss = _Loss.of(p)
    gradient = loss.gradient(balls(found.point, found.radius))
    assert all(g.contains(0) for g in gradient)
    away = loss.gradient(balls(found.point + 3 * found.radius.max() + 1e-9))
    assert not all(g.contains(0) for g in away)  # the wrong twin: a box beside it
    examples = p.examples
    assert np.allclose(examples.curvature, found.hessian, atol=1e-9)
    assert np.allclose(examples.floats[0].mean(axis=0), 0, atol=1e-12)


def test_what_is_no_minimum_is_refused():
    with pytest.raises(UnusableInput, match="flat or falling"):  # two classes' weights may move together
        minimum(problem("softmax_regression", ridge=0))
    p = problem("network", ridge="1/100")
    with pytest.raises(UnusableInput, match="a minimum with a certificate"):
        certified(_Loss.of(p), np.full(p.D, 0.3))  # no stationary point at all
    assert definite(balls(np.array([[2.0, 1.0], [1.0, 2.0]])))
    assert not definite(balls(np.array([[1.0, 2.0], [2.0, 1.0]])))


def test_balls_hold_what_they_should():
    x = sp.Symbol("x")
    box = balls(np.array([0.5]), 0.25)
    for expr in (x**2 - x, (x + 1) ** -2, sp.exp(x) * x, Share(x, 2 * x, 0), x / 3):
        (found,) = evaluate(expr, {x: box})
        values = [float(expr.replace(Share, Share.plain).subs(x, v)) for v in np.linspace(0.25, 0.75, 9)]
        assert found.lower() <= min(values) <= max(values) <= found.upper()
        assert found.lower() > min(values) - 1.5  # and not everything
    with pytest.raises(UnusableInput):
        evaluate(sp.sin(x), {x: box})


def test_a_problem_is_written_and_read_again():
    for model in WRITTEN:
        p = problem(model)
        assert Problem.of(json.loads(json.dumps(p.to_json()))).D == p.D
        assert Problem.of(p.to_json()).model == p.model
    more = problem("softmax_regression", classes=4)
    assert (more.D, problem("network", hidden=3).D) == (8, 10)
    for wrong in ({"classes": 2}, {"classes": 0}, {"classes": "3"}, {"classes": 40}, {"hidden": 2}):
        with pytest.raises(UnusableInput):  # a label that is no class, no counts, too many, another's
            problem("softmax_regression", **wrong)


# -- the papers' two targets -----------------------------------------------------------------------


def test_the_wells_of_the_santa_paper():
    """Its modes are near -3 and 2, not there: the slope's roots are isolated, and nowhere else."""
    U = parsed("(x+4)*(x+1)*(x-1)*(x-3)/14+0.5")
    left, right = minima_of(U)
    roots = np.sort(np.roots([4, 3, -26, -1]))
    assert abs(left.point[0] - roots[0]) < 1e-12
    assert abs(right.point[0] - roots[2]) < 1e-12
    assert (left.lowest, right.lowest) == (True, False)
    assert left.value[0] < left.value[1] < right.value[0]
    (x,) = U.free_symbols
    assert left.hessian[0, 0] == pytest.approx(float(sp.diff(U, x, 2).subs(x, left.point[0])), rel=1e-12)
    for said in (-3, 2):
        assert sp.diff(U, x).subs(x, said) != 0
    assert abs(left.point[0] + 3) > 0.06 > left.radius[0]
    assert minima_of(-U) != minima_of(U)  # turned round, the hill between is the one minimum
    assert [round(float(m.point[0]), 3) for m in minima_of(-U)] == [-0.038]
    with pytest.raises(UnusableInput, match="flat"):
        minima_of(x**4)
    with pytest.raises(UnusableInput, match="with a minimum"):
        minima_of(x**3 + x)


def test_the_well_is_the_potential_by_another_name():
    text = {"model": "potential", "U": "(x+4)*(x+1)*(x-1)*(x-3)/14+0.5", "noise": [[0]], "N": 1, "S": 1}
    one, other = Problem.of(text), Problem.of({"model": "santa_double_well"})
    assert other.sizes == one.sizes
    assert other.matrices == one.matrices
    gap = (one.model.full_gradient - other.model.full_gradient).subs(ones, 1)
    assert sp.expand(gap) == 0
    wrong = Problem.of(text | {"U": "(x+4)*(x+1)*(x-1)*(x-3)/13+0.5"}).model
    assert sp.expand((wrong.full_gradient - other.model.full_gradient).subs(ones, 1)) != 0


def test_the_gaussian_of_the_psgld_paper():
    p = Problem.of({"model": "gaussian2d", "params": {"eps": "1/100"}})
    assert np.linalg.inv(p.values("sgld").arrays["A"]) == pytest.approx(np.diag([0.16, 1]))
    assert Problem.of({"model": "gaussian2d", "hessian": [[2, 0], [0, 1]]}).matrices != p.matrices
    assert (p.sizes["N"], p.sizes["S"]) == (1, 1)
    with pytest.raises(UnusableInput, match="one dimension"):
        Problem.of({"model": "gaussian2d", "hessian": [[2]]})
