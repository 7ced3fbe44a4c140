"""Where the pytest plugin was: installations of versions before 0.2 announce it under this name."""

from sgtheory.pytest_plugin import (
    Run,
    assert_samples_law,
    ensembles,
    pytest_addoption,
    pytest_configure,
    theorem,
)

__all__ = ["Run", "assert_samples_law", "ensembles", "pytest_addoption", "pytest_configure", "theorem"]
