"""From theory to a decision: which sampler, which step and batch, how long, and how wrong it will be."""

from sgtheory.advice.ask import advise
from sgtheory.advice.caring import CARES, Care, Error
from sgtheory.advice.records import Advice, Misjudged, Option, Reference

__all__ = ["CARES", "Advice", "Care", "Error", "Misjudged", "Option", "Reference", "advise"]
