"""Brosse, Durmus and Moulines: The promises and pitfalls of Stochastic Gradient Langevin Dynamics."""

from verification.library import Paper

PAPER = Paper(
    key="brosse2018",
    title="The promises and pitfalls of Stochastic Gradient Langevin Dynamics",
    authors="Nicolas Brosse, Alain Durmus, Eric Moulines",
    year=2018,
    venue="Advances in Neural Information Processing Systems 31",
    bibtex="""@inproceedings{brosse2018,
  author    = {Brosse, Nicolas and Durmus, Alain and Moulines, {\\'E}ric},
  title     = {The promises and pitfalls of Stochastic Gradient {L}angevin Dynamics},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {31},
  year      = {2018}
}""",
)
