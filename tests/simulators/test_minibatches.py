"""Real minibatches in kernels: which examples, the sum of their gradients, the law that follows."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import sympy as sp

from sgtheory import Problem, registry
from sgtheory.datamodels.margins import margins
from sgtheory.errors import UnusableInput
from sgtheory.numbers.numeric import law
from sgtheory.setting import Setting
from simulators import interpret, philox
from simulators.bind import bind
from simulators.cpu.emit import Target
from simulators.cpu.engine import CpuEngine
from simulators.cpu.native import machine
from simulators.ensemble import simulate
from simulators.lower import NotLowered, lower
from simulators.program import MINIBATCH
from simulators.rewrites import FOLD, drop_identities

MODELS = ["gaussian_mean", "linear_regression", "logistic_regression"]
SEED = 5


def problem(model, D, N, S, replacement, **params):
    rng = np.random.default_rng(3)
    X = rng.integers(-8, 9, (N, D))
    rows = [[f"{int(v)}/4" for v in row] for row in X]
    content = {"model": model, "X": rows, "S": S, "replacement": replacement, "params": params}
    if model != "gaussian_mean":
        content |= {"y": [int(v) for v in rng.choice([-1, 1], N)], "ridge": "1/2"}
    return Problem.of(content | {"start": {"theta": [1] * D}})


def bound(name, problem, dtype="float64"):
    sampler = registry.sampler(name)
    values = problem.values(sampler)
    rewrites = (drop_identities(values), FOLD)
    return bind(lower(Setting(sampler, problem.model), rewrites, values.replacement), values, dtype)


# -- which examples ---------------------------------------------------------------------------------


def chi_square(counts):
    expected = counts.sum() / len(counts)
    return ((counts - expected) ** 2 / expected).sum()


def test_each_example_is_drawn_as_often_as_any_other():
    drawn = philox.indices(1, MINIBATCH, np.arange(20_000), 7, 0, 6, 3, True)
    # 5 degrees of freedom: beyond 42 once in 1e7
    assert chi_square(np.bincount(drawn.ravel(), minlength=6)) < 42
    assert chi_square(np.bincount(np.minimum(drawn, 4).ravel(), minlength=6)) > 42  # a wrong draw


def test_without_replacement_each_subset_is_drawn_as_often_as_any_other():
    drawn = np.sort(philox.indices(1, MINIBATCH, np.arange(20_000), 7, 0, 5, 2, False), axis=1)
    subsets = list(combinations(range(5), 2))
    counts = np.array([(drawn == s).all(axis=1).sum() for s in subsets])
    assert counts.sum() == len(drawn)  # no example twice
    assert chi_square(counts) < 50  # 9 degrees of freedom: beyond 50 once in 1e7
    twice = philox.indices(1, MINIBATCH, np.arange(20_000), 7, 0, 5, 2, True)
    assert (twice[:, 0] == twice[:, 1]).any()


def test_steps_slots_and_chains_draw_differently():
    def drawn(step, slot, first):
        return philox.indices(1, MINIBATCH, np.arange(first, first + 200), step, slot, 1000, 6, True)

    here = drawn(3, 0, 0)
    for other in (drawn(4, 0, 0), drawn(3, 1, 0), drawn(3, 0, 200), drawn(3 + 2**32, 0, 0)):
        assert (here == other).mean() < 0.02


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_kernel_draws_the_references_examples(cpu_engine, dtype, replacement):
    b = bound("sgld", problem("gaussian_mean", 2, 40, 6, replacement, eps="1/100"), dtype)
    engine = cpu_engine(b)
    for step in (0, 5, 2**33 + 1):
        expected = philox.indices(SEED, MINIBATCH, np.arange(70), step, 0, 40, 6, replacement)
        assert (engine.choices(0, 70, step, SEED) == expected).all()
        assert not (engine.choices(0, 70, step + 1, SEED) == expected).all()


# -- what they add up to ----------------------------------------------------------------------------

# rows of less than a vector, of one, of several; groups of rows that are full and that are not
SHAPES = [(1, 1, True), (2, 3, True), (3, 40, False), (10, 16, False), (16, 33, True), (20, 19, False)]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", ["sgld", "sgldfp", pytest.param("lmc", marks=pytest.mark.strong)])
def test_each_step_is_the_interpreters_to_rounding(cpu_engine, model, name):
    """In double: some S + D roundings of numbers below 100 leave 12 digits."""
    letter = {"sgld": "eps"}.get(name, "gamma")
    for D, S, replacement in SHAPES:
        b = bound(name, problem(model, D, 40, S, replacement, **{letter: "1/400"}))
        engine, chains = cpu_engine(b), np.arange(128)
        x = engine.start(0, 2, SEED)
        engine.advance(x, 0, 0, 3, SEED)
        start = interpret.start(b, chains, SEED)
        expected = interpret.interpret(b, chains, 0, 3, SEED, start)["theta"]
        assert np.allclose(engine.host(x), expected, rtol=0, atol=1e-12)
        if name != "lmc" and S < 40:  # other examples are noticed
            other = interpret.interpret(b, chains, 1, 3, SEED, start)["theta"]
            assert np.abs(expected - other).max() > 1e-6


CUDA = [
    ("sgld", "logistic_regression", 0), ("sgldfp", "logistic_regression", 1),
    ("sgld", "linear_regression", 2), ("lmc", "logistic_regression", 3),
    ("sgldfp", "linear_regression", 4), ("sgld", "gaussian_mean", 5), ("lmc", "logistic_regression", 5),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "model", "shape"), CUDA)
def test_processor_and_cuda_text_give_the_same_bits(
    tools, cpu_engine, host_engine, name, model, shape, dtype
):
    D, S, replacement = SHAPES[shape]
    letter = {"sgld": "eps"}.get(name, "gamma")
    b = bound(name, problem(model, D, 40, S, replacement, **{letter: "1/400"}), dtype)
    ends = []
    for engine in (cpu_engine(b), host_engine(b)):
        x = engine.start(5, 2, SEED)
        engine.advance(x, 5, 2**32 - 2, 6, SEED)
        ends.append(engine.host(x))
    assert tools.same_bits(*ends)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("model", "shape"), [("linear_regression", 1), ("logistic_regression", 3)])
def test_bits_do_not_depend_on_the_length_of_vectors(tools, cpu_engine, model, shape, dtype):
    D, S, replacement = SHAPES[shape]
    b = bound("sgld", problem(model, D, 40, S, replacement, eps="1/400"), dtype)
    ends = []
    for size in (64, 32, 16):
        if size <= machine().vector_bytes:
            engine = CpuEngine(b, 1, Target(size))
            x = engine.start(0, 2, SEED)
            engine.advance(x, 0, 0, 3, SEED)
            ends.append(engine.host(x))
    assert all(tools.same_bits(ends[0], other) for other in ends[1:])
    engine.advance(x, 0, 3, 1, SEED)
    assert not tools.same_bits(ends[0], engine.host(x))


def test_the_interpreters_gradient_is_the_models(tools):
    """Differentiating the loss of each example by hand, without any of the house's expressions."""
    p = problem("logistic_regression", 3, 12, 12, False, eps="1/50")
    b = bound("sgd", p)
    x = np.array([0.3, -0.2, 0.7])
    after = interpret.interpret(b, np.arange(1), 0, 1, 0, {"theta": x[None]})["theta"][0]
    X, y = (np.asarray(p.data[k], float) for k in "Xy")
    gradient = (-(y / (1 + np.exp(y * (X @ x))))[:, None] * X).mean(axis=0) + 0.5 / 12 * x
    assert np.allclose(after, x - gradient / 50, atol=1e-14)
    assert not np.allclose(after, x - (gradient + 0.01) / 50, atol=1e-14)


def test_at_the_mode_the_gradients_cancel():
    p = problem("logistic_regression", 3, 50, 5, True, gamma="1/1000")
    examples = p.examples
    assert np.abs(examples.at_mode.mean(axis=0)).max() < 1e-14
    b = bound("sgldfp", p)
    mode = np.array([[float(v) for v in examples.mode]])
    quiet = {"xi": np.zeros((1, 3))}

    def noise(step):
        return quiet | {"i0": philox.indices(0, MINIBATCH, np.arange(1), step, 0, 50, 5, True)}

    after = interpret.interpret(b, np.arange(1), 0, 4, 0, {"theta": mode}, noise=noise)["theta"]
    assert np.abs(after - mode).max() < 1e-14  # the control variate takes all noise away there
    away = interpret.interpret(b, np.arange(1), 0, 4, 0, {"theta": mode + 1}, noise=noise)["theta"]
    assert np.abs(away - mode - 1).max() > 1e-3


def test_separable_classes_have_no_mode():
    content = {"model": "logistic_regression", "X": [[1], [2], [-1]], "y": [1, 1, -1], "S": 1}
    with pytest.raises(UnusableInput, match="ridge"):
        _ = Problem.of(content).examples
    assert Problem.of(content | {"ridge": 1}).examples.center[0] > 0


def test_labels_are_checked():
    content = {"model": "logistic_regression", "X": [[1], [2]], "y": [1, 0], "S": 1, "ridge": 1}
    with pytest.raises(UnusableInput, match="write 0 as -1"):
        Problem.of(content)


# -- the law that follows ---------------------------------------------------------------------------


def worst(run, exact):
    """The largest deviation of a covariance's entries, in standard errors."""
    errors = run.standard_error["covariance"]
    return max(
        float((np.abs(run.covariance[f"{a},{b}"] - truth) / errors[f"{a},{b}"]).max())
        for (a, b), truth in exact.items()
    )


@pytest.mark.parametrize("model", ["gaussian_mean", "linear_regression"])
@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("name", ["sgd", "sgldfp"])
def test_ensembles_have_the_exact_law(model, replacement, name):
    """Three entries in eight runs: beyond 7 standard errors once in 1e10."""
    letter = {"sgd": "eps"}.get(name, "gamma")
    p = problem(model, 2, 6, 3, replacement, **{letter: "1/40"})
    sampler = registry.sampler(name)
    run = simulate(Setting(sampler, p.model), p.values(sampler), chains=200_000, steps=12, seed=SEED)
    exact = law(name, p, at=12).covariance
    assert exact is not None
    assert worst(run, exact) < 7
    other = problem(model, 2, 6, 3, not replacement, **{letter: "1/40"})
    wrong = law(name, other, at=12).covariance
    if name == "sgd" or model == "linear_regression":  # else the minibatch cancels altogether
        assert worst(run, wrong) > 7


def test_epochs_of_data_are_refused_by_name():
    model = registry.model("linear_regression")
    with pytest.raises(NotLowered, match="epochs of reshuffled_sgd"):
        lower(Setting(registry.sampler("reshuffled_sgd"), model))


def test_labels_go_into_the_rows_where_nothing_else_sees_them(cpu_engine):
    b = bound("sgld", problem("logistic_regression", 3, 5, 2, True, eps=Fraction(1, 50)))
    rows = next(c for c in b.program.constants if c.shape == "rows")
    assert str(rows.expression) == "y*X"
    assert not any(c.shape == "numbers" for c in b.program.constants)
    model = registry.model("linear_regression")
    assert margins(model.example).signed(((sp.Symbol("y"), (-1, 1)),)) is None
    (y,) = margins(model.example).numbers
    assert margins(model.example).signed(((y, (0, 1)),)) is None
    signed = margins(model.example).signed(((y, (-1, 1)),))  # a residual turns round with both
    assert signed is not None


def test_numbers_of_examples_ride_behind_their_row(cpu_engine):
    p = problem("linear_regression", 3, 5, 2, True, eps=Fraction(1, 50))
    layout = cpu_engine(bound("sgld", p)).layout
    assert layout.padded == 4
    number = next(c.name for c in layout.program.constants if c.shape == "numbers")
    assert layout.behind(number) == 3
