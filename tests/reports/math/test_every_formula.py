"""Every formula that a paper's entries print can be typeset."""

import pytest

from reports.math.mathml import mathml
from sgtheory.errors import UnusableInput
from verification.library import all_claims


@pytest.mark.strong
def test_every_printed_formula_is_typeset():
    for claim in all_claims():
        for one in claim.printed:
            assert mathml(one.latex(), display=True).startswith("<math"), claim.id


def test_what_cannot_be_typeset_is_refused():
    with pytest.raises(UnusableInput, match="Double subscript"):
        mathml(r"\Sigma_{\mathrm{lags}}_{11}", display=True)
