"""A sampler, a model and a paper, announced to sgtheory by entry points."""
