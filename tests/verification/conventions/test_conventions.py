"""Translations of parameters: proved in letters, held against exact laws, and wrong ones refused."""

import json
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pytest
import sympy as sp
from click.testing import CliRunner

from reports.terminal import cli
from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.onestep.affine import is_affine
from sgtheory.setting import Setting
from verification.checking import check
from verification.checking.asked import asked
from verification.checking.cases import cases, law_of
from verification.conventions import entry, libraries, library_of, names
from verification.conventions.cards import cards, elsewhere, verified
from verification.conventions.conversion import converted
from verification.conventions.record import Series
from verification.conventions.sameness import compared, specialised
from verification.conventions.translate import inverse, same, side, translation


def every():
    for name in names():
        library = library_of(name)
        found = next(e for e in library.entries if f"{library.name}.{e.name}" == name)
        one = f"{name}:3" if isinstance(found, Series) else name
        yield from ((one, match) for match in entry(one).matches)


# what is known not to be equal: the proof says so, and nothing else does
NOT_EQUAL = {"blackjax.sgnht", "posteriors.sgnht", "r_sgmcmc.sghmc:3"}
NOT_EQUAL |= {"tfp.optimizer.StochasticGradientLangevinDynamics"}
MATCHES = [pytest.param(*m, id=f"{m[0]}-{m[1].like}") for m in every()]
EQUAL = [p for p in MATCHES if p.values[0] not in NOT_EQUAL]


SLOW = (
    "blackjax.sghmc",
    "r_sgmcmc.sghmc",
    "tfp.",
    "blackjax.sgnht",
    "posteriors.sgnht",
    "sgmcmcjax.psgld",
)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        pytest.param(*p.values, id=p.id, marks=pytest.mark.long if p.values[0].startswith(SLOW) else ())
        for p in MATCHES
    ],
)
def test_a_step_is_ours_or_is_not(name, match):
    assert same(name, match).exact == (name not in NOT_EQUAL)


def wrong_twins(match):
    """Each parameter doubled and squared, each state doubled, each condition dropped."""
    for k, (name, expr) in enumerate(match.ours):
        if sp.sympify(expr) != 0 and name != "L":
            for other in (2 * sp.sympify(expr), sp.sympify(expr) ** 2 + 1):
                yield replace(match, ours=(*match.ours[:k], (name, other), *match.ours[k + 1 :]))
    for k, (name, expr) in enumerate(match.states):
        yield replace(match, states=(*match.states[:k], (name, 2 * expr), *match.states[k + 1 :]))
    for k in range(len(match.holds)):
        yield replace(match, holds=match.holds[:k] + match.holds[k + 1 :])
    if match.assumes and match.every > 1:
        yield replace(match, assumes=())


def some_long(cases):
    """The quick ones in every run, a slower one in the second stage, the others with -m long."""
    stages = {"blackjax.sgld": (), "torch.sgd_momentum": (), "optax.noisy_sgd": ()}
    stages["posteriors.sghmc"] = pytest.mark.strong
    some = [
        pytest.param(*p.values, id=p.id, marks=stages.get(p.values[0], pytest.mark.long)) for p in cases
    ]
    return {"argnames": ("name", "match"), "argvalues": some}


@pytest.mark.parametrize(**some_long(EQUAL))
def test_wrong_translations_are_refused(name, match):
    found = entry(name)
    assert [t for t in wrong_twins(match) if compared(found.sampler, t).exact] == []


@pytest.mark.parametrize(("name", "match"), [p for p in EQUAL if p.values[1].every == 1])
def test_exact_laws_agree(name, match):
    """The second route: laws in numbers, of the library's declaration and of ours."""
    found = entry(name)
    if any(s == "theta" for s, _ in match.states) or found.sampler.gradients != (0,):
        pytest.skip("positions are shown elsewhere")
    if not is_affine(Setting(found.sampler, registry.model("quadratic"))):
        pytest.skip("no exact law")
    if any(e.has(sp.Symbol("t", integer=True, nonnegative=True)) for _, e in found.sampler.updates):
        pytest.skip("the clock is in the update")
    held = {p.name: sp.sympify(v) for p, v in match.holds}
    theirs = specialised(found.sampler, held)
    case = replace(cases(theirs, dimensions=(2,))[0], times=(1, 2, 5))
    letters = {p: sp.Rational(str(case.problem.params[p.name])) for p in theirs.parameters}
    letters |= {n: sp.Integer(int(case.problem.sizes[n.name])) for n in (sp.Symbol("N"),)}

    def worth(expr):
        named = {s.name: v for s, v in letters.items()}
        expr = sp.sympify(expr).subs({p: held[p.name] for p, _ in match.holds})
        return expr.subs({s: named[s.name] for s in expr.free_symbols})

    values = {n: worth(e) for n, e in match.ours}
    ours = specialised(registry.sampler(match.like), values)
    ours = replace(ours, start=())
    theirs = replace(theirs, start=())
    bare = replace(case.problem, params=MappingProxyType({}))
    a, b = law_of(theirs, case), law_of(ours, replace(case, problem=bare))
    assert np.allclose(a.mean, b.mean, rtol=1e-9)
    assert np.allclose(a.covariance, b.covariance, rtol=1e-9)


@pytest.mark.parametrize(**some_long(EQUAL))
def test_there_and_back(name, match):
    theirs = entry(name).sampler
    chosen = {**dict(match.holds), **dict(match.back)}
    values = {n: sp.sympify(e).subs(chosen) for n, e in match.ours}
    solved, conditions = inverse(theirs, match, values)
    assert conditions == []
    for p in theirs.parameters:
        if p not in chosen:
            assert sp.simplify(solved[p.name] - p) == 0


def test_between_libraries_and_back():
    there = converted("posteriors.sghmc", "turing.sghmc", ["lr=1/10", "alpha=1/2", "sigma=2"])
    assert there.values == {"learning_rate": sp.Rational(1, 400), "momentum_decay": sp.Rational(1, 80)}
    back = converted("turing.sghmc", "posteriors.sghmc", ["learning_rate=1/400", "momentum_decay=1/80"])
    assert back.values["lr"] == sp.Rational(1, 20)  # sigma is 1 on this way: another parametrisation
    assert back.values["alpha"] == sp.Rational(1, 4)


def test_the_example_of_the_issue_in_both_directions():
    found = converted("blackjax.sgld", "mandt2017.sgld", ["eps=1/50"])
    assert found.values == {"step_size": sp.Rational(1, 100), "temperature": 1}
    assert converted("blackjax.sgld", "mandt2017.sgld", ["step_size=0.01"]).values["eps"] == sp.Rational(
        1, 50
    )
    assert converted("blackjax.sgld", "sgld", ["gamma=1/100"]).values["step_size"] == sp.Rational(1, 100)


@pytest.mark.parametrize(
    ("source", "target", "values", "words"),
    [
        ("blackjax.sgld", "sgld", ["step_size=1", "temperature=2"], "temperature = 1"),
        ("posteriors.sghmc", "turing.sghmc", ["lr=1", "alpha=1", "temperature=2"], "temperature = 1"),
        ("blackjax.sgld", "sgd", [], "another algorithm"),
        ("r_sgmcmc.sghmc:1", "sghmc_velocity_first_refreshed", [], "theta after one call differs by"),
        ("blackjax.sghmc:2", "sghmc_refreshed", [], "every gradient is over all the data"),
        ("blackjax.sgld", "brosse2018.sgld", [], "a paper that sgld is from"),
        ("blackjax.nothing", "sgld", [], "a sampler of a library"),
        ("blackjax.sgld:3", "sgld", [], "without a colon"),
        ("blackjax.sghmc:x", "sghmc", [], "whole number"),
        ("blackjax.sgld", "sgld", ["nonsense=1"], "nonsense"),
        ("blackjax.sgld", "sgld", ["eps"], "NAME=VALUE"),
        ("blackjax.sgld", "sgld", ["eps=import os"], "numbers"),
        ("sgld", "sgd", [], "two names of one sampler"),
        ("blackjax.sgld", "optax.sgd", [], "are compared with"),
    ],
)
def test_what_has_no_exact_translation_says_what_differs(source, target, values, words):
    with pytest.raises(UnusableInput, match=words):
        converted(source, target, values)


def test_the_command_prints_cards_and_one_document():
    told = CliRunner().invoke(
        cli, ["convert", "--from", "blackjax.sgld", "--to", "mandt2017.sgld", "eps=0.1"]
    )
    assert "step_size = 1/20 = 0.05" in told.stdout
    assert "only where temperature = 1" in told.stdout
    command = [
        "convert",
        "--from",
        "sghmc",
        "--to",
        "posteriors.sghmc",
        "eta=0.04",
        "alpha=0.1",
        "--json",
    ]
    document = json.loads(CliRunner().invoke(cli, command).stdout)
    assert document["schema"] == "sgtheory.convert/1"
    assert document["values"]["lr"] == {"exact": "1/5", "float": 0.2}
    assert document["proof"] == "symbolic"
    assert document["cards"][1]["gradient"].endswith("-N g")


def test_every_library_asked_for_is_here():
    assert set(libraries()) >= {
        *("blackjax", "posteriors", "sgmcmcjax", "tfp", "turing", "r_sgmcmc", "torch", "optax"),
        *("devinterp", "fortuna", "jax_sgmc", "keras", "langevin_sampling", "lightning_uq_box", "mxnet"),
        *("numpyro", "torch_optimizer", "torch_sgld", "torch_uncertainty"),
    }


def test_what_has_no_ready_step_says_why():
    for library in libraries().values():
        assert library.unrun or all(entry(f"{library.name}.{e.name}").target for e in library.entries), (
            library.name
        )


def test_an_update_with_one_factor_missing_is_another():
    """The wrong twins of two entries whose libraries leave something out."""
    sgnht, sgld = entry("devinterp.sgnht"), entry("devinterp.sgld")
    assert not compared(sgnht.sampler, sgld.matches[0]).exact
    leapfrog = entry("jax_sgmc.friction_leapfrog:2")
    ours = entry("sgmcmcjax.sghmc:2").matches[0]
    assert not compared(leapfrog.sampler, replace(ours, every=2)).exact


@pytest.mark.long
def test_every_card_can_be_printed():
    assert any(theirs == "blackjax.sgld" for theirs, _, _ in elsewhere("sgld"))
    assert all({"call", "gradient", "update", "source", "verified"} <= set(c) for c in cards())


def test_a_record_counts_for_its_declaration_only():
    found = entry("blackjax.sgld")
    other = replace(found, sampler=entry("sgmcmcjax.sgld").sampler)
    assert verified("blackjax.sgld", other).startswith("unverified")
    assert verified("turing.sgld", entry("turing.sgld")).startswith("unverified")


def step(theta, gradient, rng, N, step_size, temperature=1.0):
    noise = np.sqrt(2 * step_size * temperature) * rng.standard_normal(theta.shape)
    return theta - step_size * N * gradient(theta) + noise


@pytest.mark.parametrize(
    "settings",
    [
        {"parameters": {"step_size": "eps/2"}, "fixed": {"H": "identity"}},
        {"convention": "blackjax.sgld"},
        {"convention": "posteriors.sgld", "parameters": {"step_size": "eps/2"}},
    ],
)
def test_a_step_in_other_letters_conforms(settings):
    assert check(step, "sgld", dimensions=(1,), **settings).verdict == "conforms"


def test_a_step_with_the_wrong_map_deviates():
    wrong = {"parameters": {"step_size": "eps"}, "fixed": {"H": "identity"}}
    assert check(step, "sgld", dimensions=(1,), **wrong).verdict == "deviates"


def test_a_step_is_held_against_a_librarys_declaration():
    found = check(step, "blackjax.sgld", dimensions=(1,))
    assert (found.verdict, found.like) == ("conforms", "blackjax.sgld")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("step", None, {}, {}), "a sampler that it should be like|sampler"),
        (("turing.sgld", None, {}, {}), "a ready step"),
        (("step", "sgld", {"a": "epsilon"}, {}), "numbers, H, eps|of numbers"),
        (("step", "sgld", {}, {"tau": 1}), "parameters of sgld"),
    ],
)
def test_what_cannot_be_asked_says_so(arguments, words):
    with pytest.raises(UnusableInput, match=words):
        asked(*arguments)


def test_exact_values_are_rounded_once():
    case = replace(cases("sgld", dimensions=(1,))[0], called=(("h", "eps/3"), ("G", "H")))
    eps = Fraction(case.problem.params["eps"])
    found = case.parameters("sgld")
    assert found["h"] == float(eps / 3)
    assert found["G"].shape == (1, 1)
    assert set(found) == {"h", "G", "N", "S", "mode"}


def test_names_of_papers():
    assert side("chen2014.sghmc").ours == "sghmc"
    assert translation("mandt2017.sgld", "welling2011.sgld").formulas[1][0] == "eps"


@pytest.mark.parametrize("name", ["blackjax.sgld", "posteriors.sghmc", "optax.sgd_momentum"])
@pytest.mark.long
def test_installed_libraries_conform_to_their_entries(name):
    pytest.importorskip(library_of(name).module)
    assert check(name, dimensions=(1, 2)).verdict == "conforms"


def test_what_was_typed_once_is_refused():
    """A card used to say dt = eps for SGMCMCJax; its step is dt times the gradient, eps is 2 dt."""
    found = entry("sgmcmcjax.sgld")
    dt = next(p for p in found.sampler.parameters if p.name == "dt")
    assert not compared(found.sampler, replace(found.matches[0], ours=(("eps", dt), ("H", 1)))).exact
    assert dict(found.matches[0].ours)["eps"] == 2 * dt
