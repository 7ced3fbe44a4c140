"""SGRLD as Eq. 3 of the pSGLD paper prints it: the metric multiplies its own derivative Gamma too."""

from sgtheory.declare import Family, Sampler
from sgtheory.samplers.sgrld import METRICS, declared


def with_metric(text: str) -> Sampler:
    """The sampler with a metric; Gamma stands within the brackets that G multiplies."""
    return declared(text, inside=True)


SGRLD_PRINTED = Family("metric", METRICS[0], METRICS, with_metric)
