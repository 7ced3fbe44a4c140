"""Relations between terms, and what joins them. Each knows what it asks; none knows a theory."""

from verification.relations.compare import Compare
from verification.relations.equal import Equal
from verification.relations.joined import All
from verification.relations.limits import Moves, Order, growing, vanishing

__all__ = ["All", "Compare", "Equal", "Moves", "Order", "growing", "vanishing"]
