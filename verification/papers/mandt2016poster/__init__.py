"""Mandt, Hoffman and Blei: A Variational Analysis of Stochastic Gradient Algorithms, the poster.

On the poster the loss is the sum over the examples, and A and C = B B^T are its curvature and the noise
of its gradient. Our letters are those of the mean loss, whose posterior has covariance (N A)^(-1): the
poster's are ours at N = 1, and claims about the posterior say so.
"""

from verification.library import Paper

PAPER = Paper(
    key="mandt2016poster",
    title="A Variational Analysis of Stochastic Gradient Algorithms (poster)",
    authors="Stephan Mandt, Matthew D. Hoffman, David M. Blei",
    year=2016,
    venue="Poster at the 33rd International Conference on Machine Learning (JMLR: W&CP 48)",
    bibtex="""@inproceedings{mandt2016poster,
  author    = {Mandt, Stephan and Hoffman, Matthew D. and Blei, David M.},
  title     = {A Variational Analysis of Stochastic Gradient Algorithms},
  booktitle = {Proceedings of the 33rd International Conference on Machine Learning},
  series    = {JMLR: W\\&CP},
  volume    = {48},
  pages     = {354--363},
  year      = {2016},
  note      = {Poster}
}""",
)
