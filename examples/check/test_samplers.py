"""Run with ``pytest examples/check``: all tests of a run share one false-alarm budget."""

import pytest
import sghmc
import sgld
import sgld_faulty


def test_sgld(assert_samples_law):
    """One line: it fails, with a diagnosis, unless the step has the exact law of SGLD."""
    assert_samples_law(sgld.step, like="sgld")


@pytest.mark.ensemble(effect=0.02)  # an error of 2 % of a variance is found with probability 0.99
@pytest.mark.parametrize("dimensions", [(1, 2), (5,)])
def test_sghmc(assert_samples_law, dimensions):
    """Markers and parameters as for any other test."""
    assert_samples_law(sghmc.step, like="sghmc", dimensions=dimensions)


@pytest.mark.xfail(reason="its noise has standard deviation eps", strict=True)
def test_faulty_sgld(assert_samples_law):
    """Take the mark away to see what is said."""
    assert_samples_law(sgld_faulty.step, like="sgld")
