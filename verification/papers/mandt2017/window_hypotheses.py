"""The hypothesis that section 6.2 adds."""

from verification.theories.time.given import WellSpecified

A5 = WellSpecified()  # Assumption 5: the model is that of the data, so that B B^T = A
