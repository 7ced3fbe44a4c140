"""It has no words of its own: where a sampler settles is said in its parameters and an eigenvalue."""

WORDS = ()
