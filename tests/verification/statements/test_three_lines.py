"""Statements that the language was asked for, in three lines each, without any class of their own."""

import pytest
import sympy as sp

from sgtheory.declare import Card, Sampler, gradient, positive, state
from sgtheory.dynamics.diffusion import Diffusion, coordinates
from sgtheory.errors import DeclarationError
from verification.notation import A, C, N, Sigma, identity, second, trace
from verification.refuter.script import run
from verification.statements import (
    Equal,
    Iff,
    Order,
    Preserves,
    Stable,
    claim,
    growing,
    index,
    letter,
    letters,
    over,
    sequences,
    term,
    vanishing,
)
from verification.terms import notation as words
from verification.terms.notation import I
from verification.theories.distances import TARGET, W2, law
from verification.theories.matrices.words import elsewhere, tr
from verification.theories.time.words import averaged, lagged

HERE = {"at": "here", "title": "T"}
theta, v, g = state("theta v g")
eps, mu, beta, gamma = positive("eps mu beta gamma")
FILTERED = Sampler(
    state=(theta, v, g),
    updates=(
        (g, (1 - beta) * g + beta * gradient(theta)),
        (v, (1 - mu) * v - eps * g),
        (theta, theta + v),
    ),
    convention=Card(loss="mean", drift="eps", order="gradient filter, momentum, position"),
)


STILL = Equal(second("theta", "v") + second("v", "theta"), 0)
WRONG = Equal(second("v", "v"), eps * second("theta", "g"))


@pytest.mark.parametrize(
    ("statement", "holds"), [(STILL, True), pytest.param(WRONG, False, marks=pytest.mark.strong)]
)
def test_the_law_of_a_three_state_sampler_of_the_users_own(statement, holds):
    """In the limit velocities are uncorrelated with positions."""
    found = claim("law", of=FILTERED, read=statement, **HERE).find()
    assert (found.verdict == "proved") is holds


@pytest.mark.parametrize("correction", [1, 0], ids=["with", "without"])
def test_a_density_under_a_diffusion_with_a_metric_and_a_turning_part(correction):
    """Gamma_i is the divergence of the row i of D + J; without it the density is not kept."""
    x, y = coordinates("x", 2)
    U, a, d, q = (sp.Function(n, positive=n in "ad")(x, y) for n in ("U", "a", "d", "q"))
    metric, turning = sp.diag(a, d), sp.Matrix([[0, q], [-q, 0]])
    slopes = -(metric + turning) * sp.Matrix([U.diff(x), U.diff(y)])
    curl = [sum(((metric + turning)[i, j]).diff(z) for j, z in enumerate((x, y))) for i in range(2)]
    drift = tuple(s + correction * c for s, c in zip(slopes, curl, strict=True))
    noise = ((sp.sqrt(2 * a), 0), (0, sp.sqrt(2 * d)))
    one = claim("density", read=Preserves(((Diffusion((x, y), drift, noise), -U),)), **HERE)
    assert (one.find().verdict == "proved") is bool(correction)


h = positive("h")
HALVED = Sampler(
    state=(theta,),
    updates=((theta, theta - h / 2 * gradient(theta)),),
    convention=Card(loss="mean", drift="h/2", order="one"),
)


@pytest.mark.parametrize("time", ["continuous", "discrete"])
@pytest.mark.parametrize(("step", "holds"), [(h / 2, True), (h, False)], ids=["half", "whole"])
def test_two_samplers_laws_are_equal_after_a_change_of_parameters(step, holds, time):
    """The user's own sampler is SGD at half the step, in law."""
    one = claim("same", of=HALVED, read=Equal(Sigma, elsewhere(Sigma, (eps, step), of="sgd")), **HERE)
    found = one.find(time)
    assert (found.verdict == "proved") is holds
    if holds:
        twins = one.twins(found)
        assert twins.rejected >= 4
        assert twins.survivors == ()
    else:
        assert run(found.counterexample.script) is False
        assert ("r_ij" in found.corrected.text) is (time == "discrete")  # half of it in the process


@pytest.mark.strong
@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (Sigma, elsewhere(Sigma, (eps, eps / mu), of="sgd"), "proved-if"),
        (Sigma, 2 * elsewhere(Sigma, (eps, eps / mu), of="sgd"), "refuted"),
        (Sigma / trace(Sigma), elsewhere(Sigma, of="sgd") / tr(elsewhere(Sigma, of="sgd")), "proved-if"),
        (A * Sigma, A * elsewhere(Sigma, of="momentum_position_first"), "proved"),
        (trace(A * Sigma), elsewhere(trace(A * Sigma), (eps, eps / mu), of="sgd"), "proved"),
    ],
    ids=["same", "twice", "shape", "order", "energy"],
)
def test_a_law_of_momentum_against_another(left, right, verdict):
    fraction = {"kinds": (("mu", "fraction"),)}
    found = claim("of", of="momentum", read=Equal(left, right), **HERE, **fraction).find()
    assert found.verdict == verdict
    if verdict == "proved-if":
        assert found.condition == "A and B B^T commute"
    if verdict == "refuted":
        assert run(found.counterexample.script) is False


@pytest.mark.parametrize(("share", "verdict"), [(1, "proved"), (100_000, "refuted")])
def test_a_bound_of_the_bias_of_lmc_for_every_curvature_in_every_dimension(share, verdict):
    """U has curvatures between m and L, and steps are at most 1/L: A may be any matrix of such."""
    gamma, m, L, d = letters("gamma m L d")
    bound = d * gamma * (m + L) / (2 * m) * (3 + L / m) * (13 + 6 * L / m) / 6
    one = claim("bias", read=W2(law("lmc"), TARGET) ** 2 <= bound / share, **HERE)
    assert one.find().verdict == verdict


@pytest.mark.parametrize(("power", "holds"), [(-2, True), (-3, False)])
def test_an_order_in_the_size_of_the_data_of_a_distance_between_two_samplers(power, holds):
    """With steps 1/N momentum's covariance is that of SGD at eps/mu up to 1/N^2."""
    gap = Sigma - elsewhere(Sigma, (eps, eps / mu), of="sgd")
    bound = Order(gap, "O", term(N) ** power, growing(N, (eps, 1 / N)))
    one = claim("gap", of="momentum", time="discrete", read=bound, kinds=(("mu", "fraction"),), **HERE)
    found = one.find()
    assert (found.verdict == "proved") is holds
    assert holds or run(found.counterexample.script) is False


@pytest.mark.parametrize(("size", "verdict"), [(gamma, "proved"), (gamma**2, "refuted")])
def test_how_far_a_stationary_law_is_off_as_the_step_vanishes(size, verdict):
    one = claim(
        "lmc",
        of="lmc",
        time="discrete",
        read=Order(N * A * Sigma - I, "O", size, vanishing(gamma)),
        **HERE,
    )
    found = one.find()
    assert found.verdict == verdict
    twins = one.twins(found)
    assert twins.rejected == twins.tried >= 15, twins.survivors


@pytest.mark.parametrize(
    ("when", "verdict"), [(Equal(A * C, C * A), "proved"), (Equal(A, identity), "refuted")]
)
def test_if_and_only_if_two_matrices_commute(when, verdict):
    """A commutes with the law of SGD where it does with the noise, and not only where it is 1."""
    found = claim(
        "commute", of="sgd", time="discrete", read=Iff(Equal(A * Sigma, Sigma * A), when), **HERE
    )
    assert found.find("discrete").verdict == verdict


def test_what_is_given_beside_if_and_only_if_is_obeyed():
    """Where all commutes already no condition is needed, so that it is no equivalence."""
    both = Iff(Equal(A * Sigma, Sigma * A), Equal(A, identity))
    found = claim("given", of="sgd", read=both, given=(Equal(A * C, C * A),), **HERE)
    assert found.find().reason == "The statement holds everywhere: no condition is needed."
    with pytest.raises(DeclarationError, match=r"a statement; got .they commute."):
        Iff(Equal(A * Sigma, Sigma * A), "they commute")


@pytest.mark.parametrize(("bound", "verdict"), [(1, "proved"), (2, "refuted")])
def test_if_and_only_if_between_numbers(bound, verdict):
    """x**3 is at most x where x is at most 1, and nowhere else among positive numbers."""
    (x,) = letters("x")
    one = claim("cube", read=Iff(x**3 <= x, x <= bound), **HERE)
    found = one.find()
    assert found.verdict == verdict
    twins = one.twins(found)
    assert twins.rejected == twins.tried, twins.survivors
    assert twins.tried  # of what is false with the exact range that stands beside it
    assert getattr(found.corrected, "text", "x <= 1").endswith("x <= 1")


@pytest.mark.parametrize("time", ["continuous", "discrete"])
@pytest.mark.parametrize(("size", "holds"), [(1, True), (mu, False)])
def test_a_mean_over_a_window_of_a_second_order_chain_for_any_noise(size, holds, time):
    """C need not commute with A; friction does not matter for long windows."""
    (T,) = letters("T", "count")
    long_run = words.A**-1 * words.C * words.A**-1 / (words.S * T)
    one = claim(
        "window", of="momentum", read=Order(averaged(T), "~", long_run / size, growing(T)), **HERE
    )
    found = one.find(time)
    assert (found.verdict == "proved") is holds
    assert holds or run(found.counterexample.script) is False


@pytest.mark.strong
@pytest.mark.parametrize(
    ("both", "verdict"),
    [
        (lagged(1, 0) + lagged(0, 1), "proved"),
        (2 * lagged(1, 0), "proved-if"),
        (lagged(1, 0), "refuted"),
    ],
)
def test_a_mean_of_two_positions_of_a_second_order_chain(both, verdict):
    one = claim(
        "two",
        of="momentum",
        time="discrete",
        read=Equal(averaged(2), (2 * words.Sigma + both) / 4),
        **HERE,
    )
    found = one.find("discrete")
    assert found.verdict == verdict
    if verdict == "proved-if":
        assert found.condition == "A and B B^T commute"
        assert "lambda_j" in found.gap.text  # which vanishes where two modes are one
    if verdict == "refuted":
        assert run(found.counterexample.script) is False


a, lag = state("theta lag")
LAGGED = Sampler(
    state=(a, lag),
    updates=((lag, (1 - beta) * lag + beta * a), (a, a - h * gradient(lag))),
    convention=Card(loss="mean", drift="h"),
    given=(beta < 1,),
)


@pytest.mark.parametrize(("most", "verdict"), [(4 - 2 * beta, "proved"), (4 - beta, "refuted")])
def test_the_set_of_steps_on_which_a_two_state_sampler_settles_exactly(most, verdict):
    (lam,) = letters("lambda")
    one = claim("range", of=LAGGED, time="discrete", read=Iff(Stable(), h * lam * beta < most), **HERE)
    found = one.find()
    assert found.verdict == verdict
    if verdict == "refuted":
        assert found.corrected.text.endswith("if and only if beta*h*lambda < 4 - 2*beta")


@pytest.mark.parametrize(("power", "verdict"), [(2, "proved"), (1, "refuted")])
def test_all_numbers_of_steps_to_an_epoch_of_reshuffled_data(power, verdict):
    """s is the sum of the gradients' noise so far, zero after an epoch: of the rest, h^2 is left."""
    (x, s), (n, k) = sequences("x s"), (letter("n", "count"), index("k"))
    h, b = letter("h", "fraction"), letter("b", "real")
    told = (1 - h) ** n * b + h * s[n] - h**power * over((1 - h) ** (n - k) * s[k - 1], k, 1, n)
    step = Equal(x[k], (1 - h) * x[k - 1] + h * (s[k] - s[k - 1]))
    given = (step, Equal(x[0], b), Equal(s[0], 0))
    one = claim("epoch", read=Equal(x[n], told), given=given, **HERE)
    found = one.find()
    assert found.verdict == verdict
    if verdict == "proved":
        twins = one.twins(found, most=12)
        assert twins.rejected == twins.tried >= 10
    else:
        assert run(found.counterexample.script) is False
