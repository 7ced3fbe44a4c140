"""The protocol of a check: kinds of gradients, samplers without a law, and laws that need none."""

import json
from collections import Counter
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp

from sgtheory import registry
from sgtheory.declare import Card, Sampler, gradient, positive, state
from sgtheory.declare import t as clock
from sgtheory.errors import UnusableInput
from sgtheory.numbers.multiplicative import law as minibatch_law
from sgtheory.setting import Setting
from tests.verification.checking.bank import first as bank
from verification.checking import check, protocol
from verification.checking.affording import COARSEST, FINEST, afforded
from verification.checking.cases import cases
from verification.checking.gradients import gradient_of, source_of
from verification.checking.metamorphic import LAWS
from verification.checking.nonlinear import check_possible
from verification.checking.protocol import CHAINS, LAW, OWN
from verification.checking.reference import Kernels, reference
from verification.checking.scaling import weights
from verification.checking.telling import headline
from verification.checking.written import step_of
from verification.refuter.sampler_twins import sampler_twins
from verification.statistics.twosample import Inside, compare_samples, hypergeometric


def summed_sgld(theta, gradient, rng, eps, H):
    return (
        theta - eps / 2 * gradient(theta) @ H + np.sqrt(eps) * bank.normal(rng, theta) @ bank.lower(H).T
    )


def test_a_step_on_the_summed_loss_says_so_or_is_asked_so():
    assert check(summed_sgld, "sgld", dimensions=(2,)).verdict == "deviates"
    assert check(summed_sgld, "sgld", dimensions=(2,), loss="sum").verdict == "conforms"

    def said(theta, gradient, rng, eps, H):
        return summed_sgld(theta, gradient, rng, eps, H)

    said.loss = "sum"
    assert check(said, "sgld", dimensions=(1,)).verdict == "conforms"
    with pytest.raises(UnusableInput, match="mean or sum"):
        check(summed_sgld, "sgld", loss="total")


@pytest.mark.parametrize("replacement", [True, False])
def test_minibatches_have_the_exact_moments_of_the_data(replacement):
    case = next(c for c in protocol.regressions("sgd", 1) if c.problem.replacement == replacement)
    source, n = source_of(case), 200_000
    x = np.array(case.problem.examples.center, float) + 0.5
    found = gradient_of(case, np.random.default_rng(1))(np.tile(x, (n, 1)))
    rows = np.array(case.problem.data["X"], float)
    y = np.array(case.problem.data["y"], float)
    each = (rows @ x - y)[:, None] * rows / 1.5  # sigma2 of these problems is 3/2
    assert np.allclose(source.full(x), each.mean(0))
    S, N = source.S, len(rows)
    share = (1 if replacement else (N - S) / (N - 1)) / S
    error = found.mean(0) - each.mean(0)
    assert (np.abs(error) < 6 * np.sqrt(share * each.var(0) / n)).all()
    assert np.allclose(found.var(0), share * each.var(0), rtol=0.05)


@pytest.mark.parametrize("like", ["sgd", "sgld"])
def test_our_kernels_have_the_exact_second_moments_on_real_minibatches(like):
    for case in protocol.regressions(like, 1):
        found, n = reference(like, case, 100_000, 3), 100_000
        sampler = registry.sampler(like)
        values = case.problem.values(sampler)
        for k, t in enumerate(case.times):
            exact = minibatch_law(Setting(sampler, case.problem.model), values, None, t)
            at = slice(k * case.D, (k + 1) * case.D)
            sd = np.sqrt(np.diag(exact.covariance["theta", "theta"]))
            assert (np.abs(found.mean[at] - exact.mean["theta"]) < 6 * sd / np.sqrt(n)).all()
            scaled = found.covariance[at, at] / np.outer(sd, sd)
            assert np.allclose(scaled, exact.covariance["theta", "theta"] / np.outer(sd, sd), atol=0.05)


def test_the_mode_that_is_handed_in_is_that_of_the_data():
    case = protocol.regressions("sgldfp", 1)[0]
    source = source_of(case)
    assert np.allclose(source.full(case.parameters("sgldfp")["mode"]), 0)


def test_counts_of_pooled_ranks_are_exact():
    from math import comb

    for found in range(6):
        chances = [comb(7, k) * comb(6, 5 - k) / comb(13, 5) for k in range(6)]
        tail = min(sum(chances[: found + 1]), sum(chances[found:]))
        down = found <= 5 * 7 / 13
        tail = sum(chances[: found + 1]) if down else sum(chances[found:])
        assert hypergeometric(found, 5, 13, 7) == pytest.approx(min(1, 2 * tail), rel=1e-9)


def test_the_power_of_counts_is_what_is_declared():
    rng, n, level = np.random.default_rng(4), 4000, 1e-3
    kind = Inside(1.0)
    hits = 0
    for k in range(200):
        x, y = rng.standard_normal((2, n, 1))
        found = compare_samples(np.sqrt(1.2) * x, y, 0.5, ("x",), seed=k)
        hits += next(t for t in found.tests if t.name == "inside x").p_value < level
    assert abs(hits / 200 - kind.power(0.2, n, level)) < 5 * np.sqrt(0.25 / 200)


def test_float32_and_ties_are_no_difference():
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 4, (2, 20_000, 2)) / 3.0 + 5.0
    y = y.astype(np.float32).astype(float)
    assert compare_samples(x, y, 1e-6, ("a", "b")).agrees


@pytest.mark.strong
@pytest.mark.parametrize("like", ["sgnht", pytest.param("psgld", marks=pytest.mark.long)])
def test_samplers_without_a_law_are_held_against_our_kernels(like):
    assert check(step_of(like), like, dimensions=(2,)).verdict == "conforms"
    wrong = next(t.sampler for t in sampler_twins(registry.sampler(like)) if "doubled" in t.name)
    found = check(step_of(wrong), like, dimensions=(2,))
    assert found.verdict == "deviates"
    assert json.dumps(found.to_json())
    assert found.outcomes[0].comparison.resolution < 0.1


@pytest.mark.parametrize("like", ["saga_ld", "reshuffled_sgd"])
def test_what_cannot_be_checked_says_why(like):
    with pytest.raises(UnusableInput, match=like):
        check(bank.sgd, like)


@pytest.mark.parametrize(("like", "has"), [("sgnht", True), ("msgnht", False), ("sgld", True)])
def test_only_steps_that_see_no_basis_are_held_against_a_turned_one(like, has):
    case = cases(like, 1, (2,))[0]
    if like == "msgnht":  # a friction that hardly acts within a step
        small = {**case.problem.params, "eta": case.problem.params["eta"] / 16}
        case = replace(case, problem=case.problem.with_params(**small))
    assert (LAWS[2].change(registry.sampler(like), case) is not None) == has


@pytest.mark.long
def test_each_metamorphic_law_rejects_a_step_that_breaks_it():
    """The base is the step itself, and the changed case that of a step that is wrong there only."""
    plan = protocol.further(protocol.gaussian("sghmc", 1, (2,), 5e-7, 0.05, 0.99), 1, 5e-7, 0.05, 0.99)
    assert {t.kind for t in plan.trials} >= {law.name for law in LAWS}
    for trial in (t for t in plan.trials if t.changed):
        base = reference("sghmc", replace(trial.case, **_base(trial)), 40_000, 5).positions
        right = trial.changed.returned(Kernels.of("sghmc", trial.case).positions(trial.case, 40_000, 6))
        assert compare_samples(right, base, 1e-6, [str(k) for k in range(8)]).agrees, trial.kind
        params = {"eta": trial.case.problem.params["eta"] * 9 / 8}
        off = replace(trial.case, problem=trial.case.problem.with_params(**params))
        wrong = trial.changed.returned(Kernels.of("sghmc", off).positions(off, 40_000, 7))
        assert not compare_samples(wrong, base, 1e-6, [str(k) for k in range(8)]).agrees, trial.kind


def _base(trial):
    case = next(c for c in cases("sghmc", 1, (2,)) if c.name == trial.of)
    return {"problem": case.problem, "mode": case.mode, "seed": case.seed}


def test_steps_that_remember_are_told():
    count = [0]

    def remembers(theta, gradient, rng, eps, N, H):
        count[0] += 1
        return bank.sgld(theta, gradient, rng, eps / (1 + count[0] % 3), N, H)

    found = check(remembers, "sgld", dimensions=(1,))
    assert found.diagnosis[0].name in ("remembers", "ignores its seed")


@pytest.mark.long
def test_chains_that_share_their_numbers_are_told():
    def shares(theta, gradient, rng, eps, N, H):
        half = rng.standard_normal((len(theta) // 2, theta.shape[1]))
        noise = np.vstack([half, half, half])[: len(theta)]
        return theta - eps / 2 * N * gradient(theta) @ H + np.sqrt(eps) * noise @ bank.lower(H).T

    found = check(shares, "sgld", dimensions=(2,), wide=True)
    assert found.diagnosis[0].name == "shares random numbers"


def test_axes_take_several_values():
    """Step sizes, batch sizes, temperatures, frictions, inner steps, starts: two values each."""
    table = _axes([n for n in registry.samplers() if n in ("sgd", "iasg")])
    assert all(len(values) > 1 for values in table.values()), table


@pytest.mark.long
def test_axes_of_every_sampler(capsys):
    table = _axes(_checked())
    with capsys.disabled():
        print()
        for (name, axis), values in table.items():
            print(f"{name:32} {axis:10} {len(values)} values")
    assert all(len(values) > 1 for values in table.values())


def _axes(names):
    found = {}
    for name in names:
        for case in cases(name):
            told = {**case.problem.params, **case.problem.sizes, "start": case.problem.start["theta"]}
            told |= {"D": case.D}
            for axis, value in told.items():
                found.setdefault((name, axis), set()).add(str(value))
    return found


def _checked():
    every = []
    for name in registry.samplers():
        try:
            check_possible(registry.sampler(name))
        except UnusableInput:
            continue
        every.append(name)
    return every


@pytest.mark.long
def test_every_sampler_conforms_to_itself_and_one_corruption_of_each_does_not(capsys):
    verdicts, survivors = Counter(), []
    for name in _checked():
        right = check(step_of(name), name)
        verdicts[right.verdict] += 1
        if right.verdict != "conforms":
            survivors.append((name, right.verdict, [d.words for d in right.diagnosis]))
        twins = [t for t in sampler_twins(registry.sampler(name)) if t.sampler is not None]
        wrong = next(t for t in twins if "doubled" in t.name)
        found = check(step_of(wrong.sampler), name, dimensions=(1, 2, 3))
        verdicts["twin " + found.verdict] += 1
        if found.verdict == "conforms":
            survivors.append((name, wrong.name))
    with capsys.disabled():
        print(dict(verdicts), survivors)
    assert not survivors


def test_what_a_time_is_enough_for_is_resolved_and_told():
    def sgd(theta, gradient, rng, eps):
        return theta - eps * gradient(theta)

    found = check(sgd, "sgd", minutes=0.02, dimensions=(1,))
    assert found.verdict == "conforms"
    assert FINEST <= found.effect <= COARSEST
    assert found.to_json()["power"]["relative_error_of_a_variance"] == found.effect
    for wrong in ({"minutes": 0.0}, {"minutes": float("nan")}, {"minutes": 1, "effect": 0.1}):
        with pytest.raises(UnusableInput, match="expected minutes above 0, or an effect"):
            check(sgd, "sgd", **wrong)


@pytest.mark.parametrize("fixed", [0.0, 3.0, 100.0])
@pytest.mark.parametrize("each", [1e-5, 1e-2, 1.0, 50.0])
def test_a_time_is_kept_where_it_can_be(fixed, each):
    """Runs whose seconds are known: all of the time is used, unless the finest or coarsest is met."""
    now = [0.0]

    def run(effect):
        now[0] += fixed + each / effect**2

    effect, _ = afforded(run, 120.0, lambda: now[0])
    if effect == COARSEST:  # there is no shorter run
        assert now[0] == fixed + each / COARSEST**2
    elif effect == FINEST:
        assert now[0] < 1.2 * 120
    else:
        assert now[0] == pytest.approx(120.0, rel=0.2)


@pytest.mark.parametrize(
    ("kinds", "verdict", "told"),
    [
        ((LAW, OWN), "conforms", "f has the exact law of sgld"),
        ((OWN, CHAINS), "conforms", "f is not told apart from samples of sgld"),
        ((OWN,), "deviates", "f differs from samples of sgld"),
        ((), "inconclusive", "f could not be held against the exact law of sgld"),
    ],
)
def test_a_headline_speaks_of_an_exact_law_only_where_one_was_held_against(kinds, verdict, told):
    outcomes = [SimpleNamespace(kind=k, comparison=object()) for k in kinds]
    found = SimpleNamespace(target="f", like="sgld", verdict=verdict, outcomes=outcomes)
    assert headline(found) == told


def test_a_place_in_a_cycle_has_no_unit():
    theta, rate = state("theta"), positive("rate")
    teeth = Sampler(
        state=(theta,),
        updates=((theta, theta - rate * (1 - sp.Mod(clock, 3) / 3) * gradient(theta)),),
        convention=Card(loss="mean", drift="rate_t", order="one update"),
    )
    assert weights(teeth) == {"rate": -1}


def localised(theta, gradient, rng, lr, pull, anchor, N):
    noise = np.sqrt(lr) * rng.standard_normal(theta.shape)
    return theta - lr / 2 * (N * gradient(theta) + pull * (theta - anchor)) + noise


def test_a_step_may_call_the_mode_as_it_likes():
    names = {"lr": "eps", "pull": "gamma", "anchor": "mode"}
    fixed = {"beta": 1, "delta": 0}
    found = check(localised, like="local_sgld", parameters=names, fixed=fixed, dimensions=(2,))
    assert found.verdict == "conforms", str(found)
    case = replace(cases("sgldfp", dimensions=(2,))[0], called=(("anchor", "mode"),))
    assert np.array_equal(case.parameters("sgldfp")["anchor"], case.minimiser)
