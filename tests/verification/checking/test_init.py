"""Which ``init`` of a file makes the first state of a step."""

import pytest

from verification.checking.targets import target_at

FILE = """
def init(theta, rng):
    return {"theta": theta, "t": 0 * theta}

def init_own(theta, rng):
    return {"theta": theta}

def step(state, gradient, rng):
    return state

def cyclic(state, gradient, rng):
    return state

def own(state, gradient, rng):
    return state

def plain(theta, gradient, rng):
    return theta
"""


@pytest.mark.parametrize(
    ("name", "init"), [("step", "init"), ("cyclic", "init"), ("own", "init_own"), ("plain", None)]
)
def test_a_step_that_takes_a_state_has_the_init_beside_it(name, init, tmp_path):
    (tmp_path / "mine.py").write_text(FILE)
    found = target_at(f"{tmp_path / 'mine.py'}:{name}")
    assert getattr(getattr(found, "init", None), "__name__", None) == init
