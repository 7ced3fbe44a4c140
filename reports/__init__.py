"""Pages about derivations, samplers, claims and papers, and everything that prints them."""
