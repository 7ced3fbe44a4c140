"""Ready steps of libraries' samplers, in their own letters: what ``sgtheory check blackjax.sgld`` runs.

Each hands the library the gradient that it wants, and lets it do the rest: first state, step and noise.
"""
