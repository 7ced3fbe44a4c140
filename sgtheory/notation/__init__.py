"""How formulas and results are written: LaTeX, plain text, notebooks, letters for matrices."""
