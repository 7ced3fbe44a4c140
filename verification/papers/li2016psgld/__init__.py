"""Li, Chen, Carlson and Carin: Preconditioned Stochastic Gradient Langevin Dynamics."""

from verification.library import Paper

PAPER = Paper(
    key="li2016psgld",
    title="Preconditioned Stochastic Gradient Langevin Dynamics for Deep Neural Networks",
    authors="Chunyuan Li, Changyou Chen, David Carlson, Lawrence Carin",
    year=2016,
    venue="Proceedings of the 30th AAAI Conference on Artificial Intelligence",
    bibtex="""@inproceedings{li2016psgld,
  author    = {Li, Chunyuan and Chen, Changyou and Carlson, David and Carin, Lawrence},
  title     = {Preconditioned Stochastic Gradient {L}angevin Dynamics for Deep Neural Networks},
  booktitle = {Proceedings of the {AAAI} Conference on Artificial Intelligence},
  volume    = {30},
  year      = {2016}
}""",
)
