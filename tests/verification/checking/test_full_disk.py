"""A disk that is full under a check is one line, and no finding about the target."""

import resource

import pytest

from sgtheory.errors import UnusableInput
from verification.checking import check


def step(state, gradient, rng, eps):
    """SGD."""
    return state - eps * gradient(state)


def test_a_full_disk_is_no_crash_of_the_target():
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, before[1]))
    try:
        with pytest.raises(UnusableInput, match="expected a file that can be written"):
            check(f"{__file__}:step", like="sgd", dimensions=(1,))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
