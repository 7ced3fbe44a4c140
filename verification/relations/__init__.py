"""Relations between terms, and what joins them. Each knows what it asks; none knows a theory."""

from verification.relations.bounded import Bounded
from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.joined import All
from verification.relations.limits import Adds, Moves, Order, growing, vanishing

__all__ = ["Adds", "All", "Bounded", "Compare", "Equal", "Moves", "Order", "growing", "vanishing"]
