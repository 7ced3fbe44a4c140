"""Names in any case, where one is meant; samplers and models as everywhere; problems that travel."""

import copy
import pickle

import pytest

import sgtheory as sg
from sgtheory import registry
from sgtheory.errors import UnusableInput
from sgtheory.setting import Setting


@pytest.mark.parametrize(
    ("written", "name"),
    [("SGD", "sgd"), ("pSGLD:nogamma", "psgld:no_gamma"), ("underdamped:obabo", "underdamped:OBABO")],
)
def test_a_name_is_found_whatever_its_case(written, name):
    assert registry.sampler(written) is registry.sampler(name)
    assert not registry.is_elsewhere(written)


@pytest.mark.parametrize("wrong", ["SGDD", "psgld:gammano", "underdamped:obabx", "sgd:obabo"])
def test_another_name_is_not(wrong):
    with pytest.raises(UnusableInput):
        registry.sampler(wrong)


def test_a_module_of_the_users_is_not_taken_for_one_of_ours():
    assert registry.is_elsewhere("SGD:MINE")  # sgd has no words: a module of that name
    assert registry.known_as("AB", ["a_b", "A B"]) == "AB"  # two are alike: neither is meant


def test_a_setting_takes_what_derive_takes():
    whole = Setting(registry.sampler("sgld"), registry.model("quadratic"))
    assert Setting("sgld", "quadratic") == Setting(sg.samplers.sgld, sg.models.quadratic) == whole
    with pytest.raises(UnusableInput, match="the name of one of the samplers"):
        Setting("sgldd", whole.model)
    with pytest.raises(UnusableInput, match="the name of one of the models"):
        Setting("sgld", 3)


def test_a_problem_travels_and_stays_read_only():
    problem = sg.Problem.of(
        {"hessian": [[1]], "noise": [[1]], "N": 10, "S": 1, "params": {"eps": "1/9"}}
    )
    again = pickle.loads(pickle.dumps(problem))
    assert again == problem == copy.deepcopy(problem)
    assert again != problem.with_params(eps="1/8")
    with pytest.raises(TypeError):
        again.params["eps"] = 2
    assert pickle.loads(pickle.dumps(problem.values("sgld"))) == problem.values("sgld")
