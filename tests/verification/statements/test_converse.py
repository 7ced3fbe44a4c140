"""A condition is necessary by a proof, or sufficient with numbers beside it, or neither is known."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
import sympy as sp

from sgtheory.modepairs.pairs import LI, LJ
from verification.laws.quantities import DIVERGENCE
from verification.library import select
from verification.notation import H, S, Sigma, eps, mu
from verification.refuter.conditions import (
    AreProportional,
    Commute,
    IsDiagonal,
    OneDimensional,
    Singular,
)
from verification.refuter.parameters import is_one
from verification.refuter.places import Place
from verification.relations import Compare, FreeOf
from verification.statements import Equal, claim, letter, letters
from verification.statements.converse import for_all_states
from verification.statements.deciding import asked
from verification.terms.comparing import OTHER
from verification.theories.distances.given import DIFFERENT, SMOOTH
from verification.theories.matrices.kernels import _kernels
from verification.theories.matrices.words import elsewhere
from verification.theories.scalars import NUMBERS

b, c = sp.Symbol("b", positive=True), sp.Symbol("c", positive=True)


def found(id_):
    (one,) = select((id_,))
    return one.find()


def test_a_condition_is_necessary_where_a_theory_knows_it():
    finding = found("mandt2017.eq25")
    assert finding.converse.known == "necessary"
    assert finding.converse.told == "necessary and sufficient"
    assert "and only there" in finding.reason


def test_numbers_are_shown_at_which_a_statement_holds_without_its_condition():
    x, y = letters("x y", "real")
    product = Equal((x - y) * (x**2 + y**2 - 2), 0)
    finding = claim("k", at="Eq. 1", title="A product", read=product).find()
    assert finding.condition == "x = y"
    assert finding.converse.known == "sufficient"
    at = {name: Fraction(value) for name, value in finding.converse.without.items()}
    assert at["x"] ** 2 + at["y"] ** 2 == 2
    assert at["x"] != at["y"]
    assert "It can hold elsewhere too." in finding.reason


def test_one_value_of_a_state_is_no_place_beside_a_condition():
    """At p = 0 and theta = 0 much is zero, whatever beta is."""
    converse = found("chen2016santa.eq11.equilibrium").converse
    assert (converse.known, converse.without) == ("necessary", None)
    assert converse.failing > 0


def test_a_condition_on_injected_noise_is_one_on_its_covariance():
    """E may be any root: E E^T is what the law has."""
    half, one = Fraction(1, 2), Fraction(1)
    place = Place({"E": ((half, half), (one, -one))}, {})
    assert IsDiagonal(("EE^T",)).holds(place)
    assert not IsDiagonal(("E",)).holds(place)
    assert IsDiagonal(("EE^T",)).words == "E E^T is diagonal"


@pytest.mark.strong
def test_the_weakest_conditions_of_entries_that_missed_one():
    assert "A is a multiple of B B^T" in found("mandt2017.thm2.equation_of_q").condition
    assert found("mandt2017.appE.eq46.line_1").condition == "D = 1 or N = 1"


@pytest.mark.strong
def test_corollary_3_holds_beside_its_condition():
    without = found("mandt2017.cor3").converse.without
    (a, b), (_, d) = ([Fraction(x) for x in row] for row in without["noise"])
    assert b != 0
    assert [[a, b], [b, d]] != [[Fraction(x) for x in row] for row in without["hessian"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("brosse2018.thm2.i", "brosse2018.sec2.bounds_unchanged"),
        (
            "brosse2018.sec3_1.operations_lmc",
            "brosse2018.sec3_1.lmc_close_to_the_diffusion",
        ),
    ],
    ids=["around an estimate", "from another start"],
)
def test_laws_that_differ_are_shown_otherwise(one, other):
    first, second = select((one, other))
    assert first.printed_latex() != second.printed_latex()


def test_where_something_is_so_is_told_in_the_letters_of_a_problem():
    assert found("mandt2017.appC.rarely_commute").reason.startswith("It is so at A = [")


# -- what is left over vanishes nowhere else ------------------------------------------------------

x, y, z = letters("x y z", "real")
p, q = letters("p q")
theta, v = sp.symbols("theta v", real=True)
G = sp.Function("G", positive=True)
f, g = sp.Function("f"), sp.Function("g")


def of(read, **more):
    finding = claim("k", at="Eq. 1", title="Something", read=read, **more).find()
    return finding.condition, finding.converse.known


@pytest.mark.parametrize(
    ("read", "states", "condition"),
    [
        (Equal((x - y) * (x - 1), 0), (), "x = y or x = 1"),
        (Equal((x - y) * (x**2 + 1), 0), (), "x = y"),
        (Equal(x * (y + z), y**2 + x * z), (), "x = y or y = 0"),
        (Equal(p * v**2 + v, v**2 + v), (v,), "p = 1"),
        (Equal(v * G(theta), v * G(theta + v)), (theta, v), "G does not depend on theta"),
        (Equal(p * v * f(theta).diff(theta), 0), (theta, v), "f does not depend on theta"),
    ],
    ids=["two factors", "a factor with a sign", "another", "a state", "a shift", "a slope"],
)
def test_a_condition_is_necessary_where_what_is_left_over_vanishes_nowhere_else(read, states, condition):
    assert of(read, states=states) == (condition, "necessary")


@pytest.mark.parametrize(
    ("read", "states"),
    [
        (Equal((x - y) * (x**2 + y**2 - 2), 0), ()),  # a circle beside the line
        (Equal(f(theta) * g(theta), 0), (theta,)),  # each may vanish where the other does not
    ],
    ids=["a circle", "two functions"],
)
def test_a_condition_that_is_only_sufficient_is_not_called_necessary(read, states):
    _, known = of(read, states=states)
    assert known != "necessary"


def test_a_factor_that_what_is_given_keeps_from_zero_is_no_other_way_to_hold():
    """Beside a function: with p < 1 the factor p - 1 is nowhere zero."""
    read, more = Equal(f(theta) * (p - 1) * (q - 3), 0), {"states": (theta, f)}
    assert of(read, given=(p < 1,), **more) == ("q = 3", "necessary")
    assert "p = 1" in str(of(read, **more)[0])


def test_laws_stay_apart_only_where_gradients_differ():
    question = asked(select(("brosse2018.thm4.ii",))[0])
    (relation, *_), known = question.statement.relations, question.known
    assert known.holds_only_where((relation,), (DIFFERENT,))
    slower = replace(relation, right=relation.way.letter ** Fraction(-1, 2))
    assert not known.holds_only_where((slower,), (DIFFERENT,))  # that they are also without


def test_laws_stay_apart_only_where_gradients_differ_if_curvatures_are_bounded():
    """At x_i^2 = N, pulls of N^(-1/2) and three steps gradients are alike, laws far apart."""
    apart = []
    for N in (1e4, 1e6):  # eta = 1, p = 1; the precision is N^2
        factor = (1 - N) ** 2
        more = (2 / N + 1 / N) ** 0.5 - (2 / N) ** 0.5  # the noise of gradients adds 1/N
        apart.append((1 + factor + factor**2) ** 0.5 * more)
    assert apart[1] > 100 * apart[0]
    question = asked(select(("brosse2018.thm4.i.does_not_vanish",))[0])
    (relation, *_), known = question.statement.relations, question.known
    assert known.holds_only_where((relation,), (DIFFERENT,))
    bare = replace(known, given=tuple(c for c in known.given if c != SMOOTH))
    assert not bare.holds_only_where((relation,), (DIFFERENT,))


def test_a_first_term_in_eta_alone_does_not_decide_at_a_fixed_eta():
    """Where the third derivative is zero, terms of higher order in eta are as large in N."""
    at_fixed_eta, as_n_grows = (
        found(f"brosse2018.sec3_2.{name}") for name in ("bias_sgld_sgd_constant", "bias_lmc_fp")
    )
    assert at_fixed_eta.converse.known == "not known"
    assert "eta is small enough" in at_fixed_eta.condition
    assert as_n_grows.converse.known == "necessary"


def test_an_inequality_needs_its_condition_where_both_say_one_thing():
    assert of(p**2 * (1 + q) <= p, given=())[1] == "necessary"
    half = p * (1 + q) <= Fraction(1, 2)
    assert not NUMBERS.holds_only_where((p**2 * (1 + q) <= p,), (half,))


def test_an_inequality_with_the_wrong_sign_holds_where_its_sides_are_equal():
    assert of(x**2 + y**2 <= 2 * x * y) == ("x = y", "necessary")
    mixed = claim("k", at="Eq. 1", title="Both signs", read=(p - q) ** 2 * (p - 1) <= 0)
    assert mixed.find().condition != "p = q"


def test_a_condition_without_a_proof_is_not_told_where_the_counterexample_has_it():
    lines = [str(e.words) for e in found("mandt2017.cor6.diagonal").evidence if e.route == "search"]
    assert not any("random exact places" in line for line in lines)


# -- matrices, and minibatches --------------------------------------------------------------------


@pytest.mark.parametrize(
    "id_",
    [
        "thm2.substitution",  # Sigma (H A - A H)
        "sec4_3.many_combinations",  # C_ij (1 - b) (l_i - l_j)^2, times what is positive
        "sec3_2.rank",
        "sec6_2.gradients_per_sample_distinct",
        "appC.trace_of_inverse",  # (1 - D^2) tr(C^-1)
        "appE.eq46.line_1",  # (1 - D) log N
        "sec3_2.independent_draws",
        "appA.noise_covariance_of_one",
    ],
)
def test_a_condition_on_matrices_or_draws_is_necessary(id_):
    assert found(f"mandt2017.{id_}").converse.known == "necessary"


@pytest.mark.parametrize(
    ("id_", "condition"),
    [
        ("thm2.substitution", Commute(("A", "C"))),
        ("thm2.equation_of_q", Commute(("A", "H"))),
        ("sec3_2.rank", Singular(("C",))),
        ("appE.eq46.line_1", OneDimensional(())),
        ("sec3_2.independent_draws", is_one("S")),
        ("appA.noise_covariance_of_one", is_one("N")),
    ],
)
def test_another_condition_is_not(id_, condition):
    """A noise may be singular where no mode of the curvature is hidden from it, and so on."""
    question = asked(select((f"mandt2017.{id_}",))[0])
    assert not question.known.holds_only_where(question.statement.relations, (condition,))


def test_a_gain_made_of_the_law_is_a_place_at_which_more_agrees():
    """With H = Q of the law without a gain, Q is symmetric, and nothing commutes with anything."""
    question = asked(select(("mandt2017.thm2.equation_of_q",))[0])
    drawn = (question.random(Random(n)) for n in range(20))
    place = next(p for p in drawn if p is not None)
    *_, fitting = question.known.chosen_to_fit(place)
    assert question.seen(fitting).holds
    assert not Commute(("A", "H")).holds(fitting)
    assert not question.seen(place).holds


def test_what_moves_is_looked_at_for_all_values_of_the_letters_that_move():
    """With B B^T = A W + W A and W diagonal, the law of every diagonal gain H is a multiple of W H."""
    question = asked(select(("mandt2017.cor3.q_is_constant",))[0])
    drawn = (question.random(Random(n)) for n in range(20))
    place = next(p for p in drawn if p is not None)
    _, shared, _ = question.known.chosen_to_fit(place)
    assert for_all_states(question, shared) is True
    assert for_all_states(question, place) is False
    still = place.but(**{"H" + OTHER: place.matrices["H"]})  # nothing moves, and nothing changes
    assert question.seen(still).holds
    assert for_all_states(question, still) is False


def test_one_place_says_nothing_of_a_bound_up_to_a_number():
    converse = found("chen2016santa.mse.A3").converse
    assert (converse.known, converse.failing) == ("not known", 0)


def test_zero_is_zero_at_places_that_are_not_shown():
    """Where all examples are alike every covariance is zero."""
    assert found("mandt2017.appA.noise_covariance_of_one").converse.without is None
    assert found("mandt2017.appD.term_antisymmetric").converse.without is None


def test_a_factor_under_the_line_has_the_sign_that_is_given():
    """(1 + r^2)/(1 - r^2) is at most (1 + r)/(1 - r) exactly where r is not negative."""
    r = letter("r", "real")
    stated = (1 + r**2) / (1 - r**2) <= (1 + r) / (1 - r)
    finding = claim("k", at="a", title="t", read=stated, given=(r < 1, r > -1)).find()
    assert (finding.verdict, finding.condition) == ("proved-if", "0 <= r")
    assert finding.converse.known == "necessary"


def of_the_only_combination(**changes):
    changed = [(eps, b * c * eps), (mu, b * mu), (S, c * S)]
    told = claim(
        "k", at="", title="T", of="momentum",
        read=Equal(DIVERGENCE, elsewhere(DIVERGENCE, *changed)),
        kinds=(("B", "positive definite"), ("mu", "up to one"), *changes.items()),
    )  # fmt: skip
    question = asked(told)
    (one,) = question.statement.relations
    return question.known, one


def test_what_two_divergences_differ_by_is_a_kernel_where_one_share_lies_between():
    commute = (Commute(("A", "C")),)
    law, one = of_the_only_combination(b="fraction", c="square count")
    assert law.holds_only_where((one,), commute)
    law, one = of_the_only_combination(b="positive", c="positive")  # they agree wherever b = c too
    assert not law.holds_only_where((one,), commute)


def test_a_kernel_is_positive_definite_at_distinct_eigenvalues_and_the_lemma_holds_in_numbers():
    """K = s/(s + x d^2); M = X^(-1) o X - I is nowhere negative, and Tr(M K) positive."""
    law, _ = of_the_only_combination(b="fraction", c="square count")
    (kernel,) = _kernels(law, None)
    source = np.random.default_rng(5)
    for size in (2, 3, 5):
        modes = source.uniform(0.1, 9, size)
        at = sp.lambdify((LI, LJ), kernel.subs(dict.fromkeys(kernel.free_symbols - {LI, LJ}, 0.3)))
        K = np.array([[at(a, b) for b in modes] for a in modes])
        assert np.linalg.eigvalsh(K)[0] > 0
        assert np.allclose(np.diag(K), 1)
        B = source.normal(size=(size, size))
        X = (B @ B.T) * K
        M = np.linalg.inv(X) * X - np.eye(size)
        assert np.allclose(M.sum(axis=0), 0)
        assert np.linalg.eigvalsh(M)[0] > -1e-9
        assert np.trace(M @ K) > 1e-9
        assert np.linalg.det(K * X) > np.linalg.det(X)


@pytest.mark.strong
@pytest.mark.parametrize("id_", ["mandt2017.sec4_3.rule", "mandt2017.appC.eq41.in_general"])
def test_a_printed_step_is_best_only_where_noise_and_curvature_commute(id_):
    (one,) = select((id_,))
    question = asked(one)
    (relation,) = question.statement.relations
    wrong = replace(relation, right=2 * relation.right)
    commute = (Commute(("A", "C")),)
    assert question.known.holds_only_where((relation,), commute)
    assert not question.known.holds_only_where((wrong,), commute)


def test_what_is_free_of_every_gain_needs_noise_that_is_a_multiple_of_the_curvature():
    finding = found("mandt2017.thm2.q_independent_of_h")
    assert (finding.condition, finding.converse.known) == ("A is a multiple of B B^T", "necessary")
    finding = found("mandt2017.appE.t_independent_of_h")
    assert finding.condition == "E E^T + eps*B B^T/S is a multiple of A"
    assert finding.converse.known == "necessary"


def test_among_diagonal_gains_that_is_not_known_to_be_needed():
    given = (("H", "diagonal"),)
    one = claim("k", at="", title="T", of="sgd", read=FreeOf(Sigma * H**-1, H), kinds=given)
    question = asked(one)
    multiple = (AreProportional(("A", "C")),)
    assert not question.known.holds_only_where(question.statement.relations, multiple)


def test_a_symmetric_and_an_antisymmetric_matrix_commute_where_their_term_vanishes():
    finding = found("mandt2017.appD.term_antisymmetric")
    assert (finding.condition, finding.converse.known) == ("A and xi commute", "necessary")
    one, zero, two = Fraction(1), Fraction(0), Fraction(2)
    place = Place({"A": ((two, one), (one, two)), "xi": ((zero, one), (-one, zero))}, {})
    made = Commute(("A", "xi")).imposed(place)
    assert made.matrices["xi"] == place.matrices["xi"]
    assert ((two, zero), (zero, two)) == made.A


def test_means_over_windows_are_posterior_samples_only_where_a_step_forgets_all():
    for key in ("alg1", "alg1.independent", "alg1.start"):
        (one,) = select((f"mandt2017.{key}",))
        converse = one.find("discrete").converse
        assert converse.told == "necessary and sufficient"


@pytest.mark.strong
def test_a_diagonal_gain_is_best_with_noise_that_is_not_diagonal():
    """Where A is the diagonal of the noise, and correlations are below 1/sqrt(2)."""
    for id_ in ("mandt2017.cor6.diagonal", "mandt2016poster.optimal.diagonal"):
        without = found(id_).converse.without
        assert without["noise"][0][1] != "0"


@pytest.mark.parametrize(("least", "known"), [(0, "necessary"), (-1, "not known")])
def test_a_letter_that_is_given_not_to_be_negative_is_so_in_a_proof_of_necessity(least, known):
    theta, lam = sp.symbols("theta lambda", real=True)
    r = sp.Function("r", positive=True)(theta)
    left, right = sp.Derivative(1 / (lam + r), theta), -sp.Derivative(r**2, theta) / 2 / r**3
    given = (Compare(lam, ">=", sp.Integer(least)),)  # lambda + 2 r may vanish below zero
    one = claim("k", at="a", title="t", given=given, states=(theta,), read=Equal(left, right))
    finding = one.find()
    assert finding.condition == "lambda = 0 or r does not depend on theta"
    assert finding.converse.known == known
