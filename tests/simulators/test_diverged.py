"""Chains that run away are told, with the step, and no number is printed."""

import json

import pytest

import sgtheory as sg
from sgtheory import registry
from simulators import simulate
from simulators.diverged import since, told

AWAY = {
    "model": "double_well",
    "noise": 1,
    "params": {"eps": "1/2"},
    "N": 4,
    "S": 1,
    "start": {"theta": [8]},
}


def _numbers():
    problem, sgld = sg.Problem.of(AWAY), registry.sampler("sgld")
    return sg.Setting(sgld, problem.model), problem.values(sgld)


def test_the_step_is_the_first_at_which_sums_are_infinite():
    numbers = _numbers()
    found = simulate(*numbers, chains=256, steps=100, seed=1, device="cpu")
    assert not found.finite
    step = since(*numbers, found, device="cpu")
    finite = [simulate(*numbers, chains=256, steps=k, seed=1, device="cpu").finite for k in range(8)]
    assert finite.index(False) == step
    assert f"from step {step} on" in str(told(*numbers, found, device="cpu"))


def test_what_stays_finite_has_no_such_step():
    numbers = _numbers()
    found = simulate(*numbers, chains=64, steps=1, seed=1, device="cpu")
    assert since(*numbers, found, device="cpu") is None


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_the_command_says_so_in_one_line_with_status_1(more, tmp_path, capfd):
    from reports.terminal import main

    (tmp_path / "p.json").write_text(json.dumps(AWAY))
    asked = [
        "simulate",
        "sgld",
        "--problem",
        str(tmp_path / "p.json"),
        "--chains",
        "100",
        "--device",
        "cpu",
    ]
    with pytest.raises(SystemExit) as ended:
        main([*asked, *more])
    assert ended.value.code == 1
    out, err = capfd.readouterr()
    assert "ran away" in err
    assert len(err.strip().splitlines()) == 1  # and no warning of NumPy's
    assert "nan" not in out
    if more:
        assert json.loads(out)["mean"] == {"theta": [None]}
    else:
        assert out == ""
