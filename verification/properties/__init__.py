"""Properties of random problems: ensembles against exact laws, theorems in exact numbers."""
