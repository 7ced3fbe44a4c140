"""Mandt, Hoffman and Blei: Stochastic Gradient Descent as Approximate Bayesian Inference."""

from verification.library import Paper

PAPER = Paper(
    key="mandt2017",
    title="Stochastic Gradient Descent as Approximate Bayesian Inference",
    authors="Stephan Mandt, Matthew D. Hoffman, David M. Blei",
    year=2017,
    venue="Journal of Machine Learning Research 18(134), 1-35",
    bibtex="""@article{mandt2017,
  author  = {Mandt, Stephan and Hoffman, Matthew D. and Blei, David M.},
  title   = {Stochastic Gradient Descent as Approximate {B}ayesian Inference},
  journal = {Journal of Machine Learning Research},
  volume  = {18},
  number  = {134},
  pages   = {1--35},
  year    = {2017}
}""",
)
