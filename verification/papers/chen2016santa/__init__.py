"""Chen, Carlson, Gan, Li and Carin: Bridging the Gap between SG-MCMC and Optimization."""

from verification.library import Paper

PAPER = Paper(
    key="chen2016santa",
    title="Bridging the Gap between Stochastic Gradient MCMC and Stochastic Optimization",
    authors="Changyou Chen, David Carlson, Zhe Gan, Chunyuan Li, Lawrence Carin",
    year=2016,
    venue="Proceedings of the 19th International Conference on Artificial Intelligence and Statistics"
    " (JMLR: W&CP 51)",
    bibtex="""@inproceedings{chen2016santa,
  author    = {Chen, Changyou and Carlson, David and Gan, Zhe and Li, Chunyuan and Carin, Lawrence},
  title     = {Bridging the Gap between Stochastic Gradient {MCMC} and Stochastic Optimization},
  booktitle = {Proceedings of the 19th International Conference on Artificial Intelligence
               and Statistics},
  series    = {JMLR: W\\&CP},
  volume    = {51},
  year      = {2016}
}""",
)
