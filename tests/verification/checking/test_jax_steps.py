"""JAX steps against their exact law. Where JAX is absent all is skipped."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

from sgtheory.declare import Card, Sampler, gradient, positive, positive_definite, state
from verification.checking import check
from verification.checking.adapters import adapter
from verification.checking.adapters.jax_step import position
from verification.checking.gradients import Additive, Minibatches
from verification.checking.jax_chains import precision
from verification.checking.jax_gradients import JaxGradient

pytest.importorskip("jax", reason="jax is not installed")
bank = importlib.import_module("tests.verification.checking.jax_bank")

CARD = Card(loss="mean", drift="the mean loss")
SMALL = {"dimensions": (1, 2)}
name = lambda x: getattr(x, "__name__", "")  # noqa: E731


@pytest.mark.parametrize(("step", "like"), bank.RIGHT, ids=name)
def test_right_steps_conform(step, like):
    assert adapter(step).KIND == "jax"
    found = check(step, like, **SMALL)
    assert found.verdict == "conforms", found.diagnosis


@pytest.mark.parametrize(("step", "words"), bank.FAULTY, ids=name)
def test_faults_are_found_and_named(step, words):
    found = check(step, "sgld", **SMALL)
    assert found.verdict == "deviates"
    assert any(one in found.diagnosis[0].words for one in words.split("|")), found.diagnosis


@pytest.mark.parametrize(("step", "name"), bank.BROKEN, ids=name)
def test_broken_steps_are_told_by_name(step, name):
    found = check(step, "sgld", dimensions=(2,))
    assert found.verdict == ("crashed" if name == "crashed" else "deviates")
    assert found.diagnosis[0].name == name
    assert "\n" not in found.diagnosis[0].words


theta, eps, H = state("theta"), positive("eps"), positive_definite("H")


def two_steps(shared):
    """Two steps of SGD in one, with a minibatch each or the same."""
    first, second = (theta - eps * H @ gradient(theta, k) for k in (0, 1 - shared))
    return Sampler(
        convention=CARD,
        state=(theta,),
        updates=((theta, first), (theta, second)),
    )


@pytest.mark.parametrize(
    ("step", "shared"),
    [
        (bank.two_steps_of_sgd, False),
        (bank.two_steps_of_sgd_with_keys, False),
        (bank.two_steps_of_sgd_with_one_minibatch, True),
    ],
    ids=name,
)
def test_each_pass_of_a_loop_has_a_minibatch_of_its_own_unless_it_asks_for_one(step, shared):
    assert check(step, two_steps(shared), **SMALL).verdict == "conforms"
    assert check(step, two_steps(not shared), **SMALL).verdict == "deviates"


def test_gradients_from_keys_are_those_of_the_source():
    import jax

    rows = np.array([[-1.0, 2.0], [0.5, 1.0], [3.0, -1.0]])
    for replacement in (True, False):
        source = Minibatches(rows, rows, rows[::-1], np.eye(2), np.ones(2), 2, replacement)
        with precision("float64"):
            seen = [JaxGradient(source, jax.random.PRNGKey(k), 3.0) for k in range(200)]
            found = np.array([g(np.array([2.0, 0.0])) for g in seen])
            assert np.allclose(seen[0].full(np.ones(2)), 0)
        possible = [[a, b] for a in range(3) for b in range(3) if replacement or a != b]
        expected = {tuple(3 * source.at(np.array([2.0, 0.0]), np.array(p))) for p in possible}
        assert {tuple(np.round(x, 9)) for x in found} == {tuple(np.round(x, 9)) for x in expected}


def test_one_minibatch_at_two_points_is_independent_of_what_else_its_key_draws():
    import jax

    source = Additive(np.eye(1), np.eye(1), np.zeros(1))
    with precision("float64"):
        keys = jax.random.split(jax.random.PRNGKey(1), 4_000)

        def one(key):
            g = JaxGradient(source, key)
            return (
                g(np.zeros(1), key),
                g(np.ones(1), key) - 1,
                g(np.zeros(1)),
                jax.random.normal(key, (1,)),
            )

        same, too, other, own = (np.asarray(x)[:, 0] for x in jax.vmap(one)(keys))
    assert np.array_equal(same, too) or np.allclose(same, too, atol=1e-12)
    for a, b in ((same, other), (same, own), (other, own)):
        assert abs(np.mean(a * b)) < 7 / np.sqrt(len(keys))  # a product of normals, seven deviations


def test_the_precision_of_jax_is_as_it_was():
    import jax

    before = jax.numpy.zeros(1).dtype
    check(bank.sgd, "sgd", dimensions=(1,))
    assert jax.numpy.zeros(1).dtype == before


def test_states_of_other_libraries_say_where_they_are():
    assert position(bank.Moving(1, 2)) == 1
    assert position((3, 4)) == 3
    assert position({"position": 5}) == 5


@pytest.mark.long
@pytest.mark.parametrize(("step", "like"), bank.RIGHT, ids=name)
def test_right_steps_conform_in_all_dimensions(step, like):
    found = check(step, like)
    assert found.verdict == "conforms", found.diagnosis


def test_nothing_imports_jax_unasked():
    said = "import sys; from verification.checking.adapters import adapter; adapter(lambda x, g, rng: x)"
    said += "; print('jax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
