"""Moments of invariant laws for a general strongly convex potential, by exact expansion.

The potential U is that of N examples. Either N grows at fixed eta = gamma N (samplers whose noise
vanishes at the minimiser), or eta vanishes (those whose minibatch noise does not). Brosse, Moulines and
Durmus (2018) print the leading orders; here they come from the stationarity of moments.
"""

from sgtheory.perturbation.derivatives import AtMode, at_mode
from sgtheory.perturbation.form import Form, form_of
from sgtheory.perturbation.invariant import Expansion, InvariantMoments, invariant_moments

__all__ = ["AtMode", "Expansion", "Form", "InvariantMoments", "at_mode", "form_of", "invariant_moments"]
