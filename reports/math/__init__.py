"""Formulas: LaTeX to MathML for pages, LaTeX to one line of text for terminals."""
