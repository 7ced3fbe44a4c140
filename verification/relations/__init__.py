"""Relations between terms, and what joins them. Each knows what it asks; none knows a theory."""

from verification.relations.best import Best
from verification.relations.bounded import Bounded
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.exists import Exists
from verification.relations.free import FreeOf
from verification.relations.in_law import InLaw
from verification.relations.joined import All
from verification.relations.limits import Order, expanded, growing, vanishing
from verification.relations.one_best import OneBest
from verification.relations.preserves import Preserves
from verification.relations.solves import Solves
from verification.relations.stable import Not, Stable
from verification.relations.trends import Adds, Moves
from verification.relations.weak import WeakOrder

__all__ = [
    "Adds",
    "All",
    "Best",
    "Bounded",
    "Compare",
    "Equal",
    "Exists",
    "FreeOf",
    "InLaw",
    "Moves",
    "Not",
    "OneBest",
    "Order",
    "Preserves",
    "Solves",
    "Stable",
    "WeakOrder",
    "expanded",
    "growing",
    "vanishing",
]
