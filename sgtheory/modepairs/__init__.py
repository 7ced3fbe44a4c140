"""Laws in every dimension at once, at a generic pair of modes, and what follows from them."""
