"""What counts as identified: the updates of the declaration, every parameter in the step's letters."""

import json
from types import SimpleNamespace

import pytest
import sympy as sp

from benchmarks import bank_page, identified
from benchmarks.identified import Right, in_own_letters, is_it, right_ones
from sgtheory import registry
from verification.checking.asked import asked
from verification.checking.faults.variant import Variant
from verification.checking.signatures import Asks

lr, momentum, heat = (sp.Symbol(n, positive=True) for n in ("lr", "momentum", "heat"))


def answer(like, **given):
    """As ``identify`` gives one: with the matrices of the declaration put in."""
    sampler = registry.sampler(like)
    known = {p: sp.Integer(1) for p in sampler.parameters if p.name == "H"}
    bare = asked(len, like, {}, {"H": "identity"}).sampler if known else sampler
    candidate = SimpleNamespace(variant=Variant.of(bare), given=tuple(given.items()))
    return SimpleNamespace(sampler=sampler, candidate=candidate, given=tuple(given.items()))


def wanted(like, asks, **own):
    return asked(len, like, own, {}).handed(asks)


def test_a_parameter_is_right_only_in_the_letters_of_the_step():
    asks = Asks(("lr", "momentum"))
    want = wanted("momentum", asks, lr="eps", momentum="1 - mu")
    assert in_own_letters(want, asks) == {"eps": lr, "mu": 1 - momentum}
    assert is_it(answer("momentum", eps=lr, mu=1 - momentum), want, asks)
    assert not is_it(answer("momentum", eps=lr, mu=momentum), want, asks)
    assert not is_it(answer("sgd", eps=lr), want, asks)


def test_another_declaration_with_the_same_updates_is_right_too():
    """A step that takes a minibatch's gradient where LMC takes the whole one is SGLD."""
    asks = Asks(("lr", "N"))
    want = wanted("lmc", asks, lr="gamma")
    assert not is_it(answer("sgld", eps=2 * lr), want, asks)
    assert is_it(answer("sgld", eps=2 * lr), want, asks, sampled=True)
    assert not is_it(answer("sgld", eps=lr), want, asks, sampled=True)


def test_what_has_no_one_way_back_is_not_right():
    asks = Asks(("lr", "heat"))
    want = wanted("sgld", asks, lr="eps", heat="eps**2")
    assert in_own_letters(want, asks) is None
    assert not is_it(answer("sgld", eps=lr), want, asks)


def test_every_right_sampler_of_all_banks_is_planned():
    planned = list(right_ones())
    assert len({(r.bank, r.name) for r in planned}) == len(planned) == 143
    assert {r.bank for r in planned} == {"known", "blind", "second", "third", "fourth", "fifth"}
    assert all(isinstance(r, Right) for r in planned)


@pytest.mark.skipif(not bank_page.IDENTIFIED.exists(), reason="it was not run")
def test_the_table_counts_what_it_has():
    found = json.loads(bank_page.IDENTIFIED.read_text(encoding="utf-8"))
    planned = {(r.bank, r.name) for r in right_ones()}
    rows = found["samplers"]
    assert {(r["bank"], r["name"]) for r in rows} <= planned
    assert found["planned"] == len(planned) == len(rows) + len(found["not_run"])
    assert found["summary"]["all"] == identified.share(rows)
    assert all(r["verdict"] == "identified" for r in rows if r["right"])
    assert list(bank_page._identified(found))
