"""What samplers' cards cite, as BibTeX: works of whose claims none is judged here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reference:
    """A work, as BibTeX has it."""

    kind: str  # article, inproceedings or misc
    title: str
    author: str
    where: str  # journal, proceedings or what it was published as
    year: int
    more: tuple[tuple[str, str], ...] = ()

    def bibtex(self, key: str) -> str:
        """The entry under a key.

        >>> print(REFERENCES["tieleman2012"].bibtex("tieleman2012"))
        @misc{tieleman2012,
          title        = {Lecture 6.5: {RMSProp}},
          author       = {Tieleman, Tijmen and Hinton, Geoffrey},
          howpublished = {COURSERA: Neural Networks for Machine Learning},
          year         = {2012}
        }
        """
        place = {"article": "journal", "inproceedings": "booktitle"}.get(self.kind, "howpublished")
        rows = (
            ("title", self.title),
            ("author", self.author),
            (place, self.where),
            *self.more,
            ("year", str(self.year)),
        )
        width = max(len(name) for name, _ in rows)
        inside = ",\n".join(f"  {name:{width}} = {{{value}}}" for name, value in rows)
        return f"@{self.kind}{{{key},\n{inside}\n}}"


def _icml(title: str, author: str, number: int, year: int) -> Reference:
    where = f"Proceedings of the {number}th International Conference on Machine Learning"
    return Reference("inproceedings", title, author, where, year)


def _nips(title: str, author: str, number: int, year: int) -> Reference:
    where = f"Advances in Neural Information Processing Systems {number}"
    return Reference("inproceedings", title, author, where, year)


REFERENCES = {
    "ahn2012": _icml(
        "Bayesian Posterior Sampling via Stochastic Gradient {Fisher} Scoring",
        "Ahn, Sungjin and Korattikara, Anoop and Welling, Max",
        29,
        2012,
    ),
    "chen2014": Reference(
        "inproceedings",
        "Stochastic Gradient {Hamiltonian} {Monte} {Carlo}",
        "Chen, Tianqi and Fox, Emily B. and Guestrin, Carlos",
        "Proceedings of the 31st International Conference on Machine Learning",
        2014,
    ),
    "chen2015": _nips(
        "On the Convergence of Stochastic Gradient {MCMC} Algorithms with High-Order Integrators",
        "Chen, Changyou and Ding, Nan and Carin, Lawrence",
        28,
        2015,
    ),
    "ding2014": _nips(
        "{Bayesian} Sampling Using Stochastic Gradient Thermostats",
        "Ding, Nan and Fang, Youhan and Babbush, Ryan and Chen, Changyou and Skeel, Robert D. and"
        " Neven, Hartmut",
        27,
        2014,
    ),
    "dubey2016": _nips(
        "Variance Reduction in Stochastic Gradient {Langevin} Dynamics",
        "Dubey, Kumar Avinava and Reddi, Sashank J. and Williamson, Sinead A. and"
        r" P{\'o}czos, Barnab{\'a}s and Smola, Alexander J. and Xing, Eric P.",
        29,
        2016,
    ),
    "duchi2011": Reference(
        "article",
        "Adaptive Subgradient Methods for Online Learning and Stochastic Optimization",
        "Duchi, John and Hazan, Elad and Singer, Yoram",
        "Journal of Machine Learning Research",
        2011,
        (("volume", "12"), ("pages", "2121--2159")),
    ),
    "gurbuzbalaban2021": Reference(
        "article",
        "Why Random Reshuffling Beats Stochastic Gradient Descent",
        r"G{\"u}rb{\"u}zbalaban, Mert and Ozdaglar, Asuman and Parrilo, Pablo A.",
        "Mathematical Programming",
        2021,
        (("volume", "186"), ("pages", "49--84")),
    ),
    "kingma2015": Reference(
        "inproceedings",
        "{Adam}: A Method for Stochastic Optimization",
        "Kingma, Diederik P. and Ba, Jimmy",
        "3rd International Conference on Learning Representations",
        2015,
    ),
    "leimkuhler2013": Reference(
        "article",
        "Rational Construction of Stochastic Numerical Methods for Molecular Sampling",
        "Leimkuhler, Benedict and Matthews, Charles",
        "Applied Mathematics Research eXpress",
        2013,
        (("volume", "2013"), ("number", "1"), ("pages", "34--56")),
    ),
    "patterson2013": _nips(
        "Stochastic Gradient {Riemannian} {Langevin} Dynamics on the Probability Simplex",
        "Patterson, Sam and Teh, Yee Whye",
        26,
        2013,
    ),
    "polyak1992": Reference(
        "article",
        "Acceleration of Stochastic Approximation by Averaging",
        "Polyak, B. T. and Juditsky, A. B.",
        "SIAM Journal on Control and Optimization",
        1992,
        (("volume", "30"), ("number", "4"), ("pages", "838--855")),
    ),
    "sutskever2013": _icml(
        "On the Importance of Initialization and Momentum in Deep Learning",
        "Sutskever, Ilya and Martens, James and Dahl, George and Hinton, Geoffrey",
        30,
        2013,
    ),
    "tieleman2012": Reference(
        "misc",
        "Lecture 6.5: {RMSProp}",
        "Tieleman, Tijmen and Hinton, Geoffrey",
        "COURSERA: Neural Networks for Machine Learning",
        2012,
    ),
    "welling2011": _icml(
        "{Bayesian} Learning via Stochastic Gradient {Langevin} Dynamics",
        "Welling, Max and Teh, Yee Whye",
        28,
        2011,
    ),
}
