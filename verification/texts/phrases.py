"""English phrases of statements, each one token; what a word says beside them is nothing.

A phrase is looked for where a word begins, the longest first. ``NOISE`` are words without a meaning of
their own; every word that is neither, nor a letter, is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# minibatches are drawn without replacement, if the examples are sampled uniformly with replacement, ...
_DRAWN = (
    "",
    *(f"{whose}{how}{alike}"
      for whose in ("", *(f"{given}{what} " for given in ("", "if ", "when ", "where ", "provided ")
                          for what in ("minibatches are", "batches are", "examples are", "indices are",
                                       "minibatch is", "batch is", "the minibatch is", "the batch is",
                                       "the examples are", "the indices are")))
      for how in ("drawn ", "sampled ", "chosen ")
      for alike in ("", "uniformly ")),
)  # fmt: skip

_LAWS = tuple((a, f"{stationary} {law}") for a, stationary in (("a", "stationary"), ("an", "invariant"))
              for law in ("law", "probability law", "distribution", "measure"))  # fmt: skip
_ONE = ("exactly one", "precisely one", "a unique", "only one", "one")

# a token, its value, and how it is said
_SAID: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("IFF", "", ("if and only if", "iff", "only and exactly if", "when and only when",
    "is equivalent to", "is necessary and sufficient for", "where and only where",
    *(f"{exactly} {where}" for exactly in ("exactly", "precisely", "just")
      for where in ("if", "when", "where", "for", "at", "under", "in case", "for those", "for all")))),
    ("ONLYIF", "", ("only if", "only when", "only where", "only for", "only at", "only under")),
    ("ONLYTHEN", "", ("and only then", "and only there", "and then only", "only then", "only there",
    "then and only then", "and for no other", "and not otherwise", "and only in that case")),
    ("IMPLIES", "", ("implies", "implies that", "imply", "imply that", "entails", "entails that",
    "is sufficient for", "suffices for", "is enough for")),
    ("UNLESS", "", ("unless", "except if", "except where", "except when")),
    ("HYP", "", (
        "if", "when", "whenever", "where", "wherever", "provided that", "provided", "assuming that",
        "assuming",
        "assume that", "assume", "suppose that", "suppose", "let", "given that", "given", "under",
        "with", "while", "for which", "for whom", "so that",
        "for all", "for every", "for each", "for any", "for", "as long as", "such that",
        "on the condition that", "in case", "in the case", "so long as", "if only",
    )),
    ("AS", "", ("as",)),
    ("SMALL", "", ("for all small enough", "for every small enough", "for all sufficiently small",
    "for every sufficiently small", "for small enough", "for any small enough")),
    ("LIMIT", "", ("in the limit", "in the limit of", "in the limit as", "in the limit where")),
    ("ARRIVES", "", (
        "settles at", "settles to", "has a stationary law with", "has stationary covariance",
        "has a stationary covariance", "has the stationary covariance", "reaches", "ends with",
    )),
    ("DISCRETE", "", ("in discrete time", "of the algorithm as it runs", "step by step",
    "at finite step")),
    ("CONTINUOUS", "", (
        "in continuous time", "in the limit of small steps", "in the continuous limit",
        "in the continuous-time limit", "in the limit of continuous time",
    )),
    ("UPTO", "", ("up to a constant in", "up to constants in", "up to what does not depend on")),
    ("UPTOFACTOR", "", ("up to a factor", "up to scale", "up to a number")),
    ("DRAWN", "without", tuple(f"{drawn}without replacement" for drawn in _DRAWN)),
    ("DRAWN", "with", tuple(f"{drawn}with replacement" for drawn in _DRAWN)),
    ("STATES", "", ("at all states", "for all states", "at every state")),
    ("EXISTS", "", ("there are", "there is", "there exist", "there exists", "for some", "sometimes")),
    ("EXISTS", "no", ("there are no", "there is no", "for no", "never", "nowhere")),
    ("AMONG", "all", ("among all matrices",)),
    ("AMONG", "diagonal", ("among diagonal matrices", "among diagonal ones")),
    ("AMONG", "multiples of the identity", ("among multiples of the identity",)),
    ("FIRSTORDER", "", ("to first order in", "to leading order in", "to the first order in")),
    ("TOGETHER", "", ("alone", "and nowhere else", "uniquely")),
    ("ENDS", "0", ("vanishes", "vanish", "goes to zero", "tends to zero", "goes to 0", "tends to 0",
    "shrinks to zero")),
    ("ENDS", "oo", (
        "grows without bound", "grows beyond all bounds", "goes to infinity", "tends to infinity",
        "grows",
    )),
    ("AND", "", ("and", "and also")),
    ("SEP", "then", (
        "then", "we have", "we have that", "it holds that", "one has", "it follows that", "there holds",
    )),
    ("SEP", "", ("holds", "and then", "and in that case", "in which case", "in that case")),
    ("OR", "", ("or", "nor on", "or on")),
    ("REL", "=", ("is equal to", "equals", "equal", "is", "are", "be", "is given by")),
    ("OBEYS", "", ("satisfies", "solves", "obeys", "satisfy", "solve", "fulfils", "is a solution of",
        "solves the equation", "satisfies the equation", "is the solution of", "is characterised by")),
    ("REL", "<=", ("is at most", "is not above", "is bounded by", "does not exceed", "stays below")),
    ("REL", ">=", ("is at least", "is not below")),
    ("REL", "<", ("is below", "is less than", "is smaller than", "is under", "is strictly below")),
    ("REL", ">", ("is above", "is greater than", "is larger than", "exceeds", "is more than")),
    ("REL", "!=", ("is not equal to", "differs from", "is not")),
    ("FREE", "", (
        "does not depend on", "do not depend on", "is independent of", "is free of", "is constant in",
        "does not change with", "does not move with",
    )),
    ("PROPTO", "", ("is proportional to", "scales as", "scales like", "are proportional to")),
    ("MOVES", "grows", (
        "in the end grows with", "eventually grows with", "eventually increases with",
        "in the end increases with",
    )),
    ("MOVES", "shrinks", (
        "in the end shrinks with", "eventually shrinks with", "eventually decreases with",
    )),
    ("CLIMBS", ">", ("grows with", "increases with", "increases in", "is increasing in")),
    ("CLIMBS", "<", (
        "shrinks with", "decreases with", "falls with", "decreases in", "is decreasing in",
    )),
    ("CLIMBS", ">=", ("does not decrease with", "does not shrink with", "does not fall with",
        "is nondecreasing in", "is non-decreasing in")),
    ("CLIMBS", "<=", ("does not increase with", "does not grow with", "is nonincreasing in",
        "is non-increasing in")),
    ("LOEWNER", "", ("in the loewner order", "in loewner order", "in the order of matrices",
        "as a matrix", "as matrices", "in the positive semidefinite order")),
    ("LINEARLY", "1", ("grows linearly in", "grows linearly with", "is linear in",
    "is proportional to the letter")),
    ("LINEARLY", "2", ("grows quadratically in", "grows quadratically with", "is quadratic in")),
    ("COMMUTES", "", ("commutes with",)),
    ("COMMUTE", "", ("commute",)),
    ("DOES", "", ("does", "do so", "does so")),
    ("BEST", "smallest", (
        "is minimised at", "is minimized at", "is smallest at", "is least at", "is minimal at",
        "is lowest at",
        "is minimised by", "is minimized by",
    )),
    ("BEST", "largest", ("is maximised at", "is maximized at", "is largest at", "is greatest at",
    "is maximal at")),
    ("BESTOF", "smallest", ("minimises", "minimizes", "alone minimises", "alone minimizes")),
    ("BESTOF", "largest", ("maximises", "maximizes", "alone maximises", "alone maximizes")),
    ("MINIMISER", "smallest", ("the minimiser of", "the minimizer of", "the unique minimiser of",
    "the unique minimizer of", "the only minimiser of", "the only minimizer of")),
    ("MINIMISER", "largest", ("the maximiser of", "the maximizer of", "the unique maximiser of",
    "the unique maximizer of", "the only maximiser of", "the only maximizer of")),
    ("THATBEST", "smallest", ("that minimises", "that minimizes", "which minimises", "which minimizes")),
    ("THATBEST", "largest", ("that maximises", "that maximizes", "which maximises", "which maximizes")),
    ("OVER", "", ("over",)),
    ("ONESOLUTION", "", tuple(f"has {one} solution{of}" for one in _ONE for of in ("", " for"))),
    ("ONEPAIR", "", ("one pair", "only one pair", "exactly one pair")),
    ("DEFINITE", ">", ("is positive definite", "be positive definite", "positive definite")),
    ("DEFINITE", ">=", tuple(f"{be}{definite}" for be in ("is ", "be ", "") for definite in (
    "positive semidefinite", "positive semi-definite", "nonnegative definite"))),
    ("DEFINITE", "sym", ("is symmetric", "be symmetric")),
    ("DEFINITE", "iso", ("is isotropic", "be isotropic")),
    ("ORDER", "Theta", ("is of order", "is of the order of", "is of exact order")),
    ("ORDER", "O", ("is at most of order",)),
    ("ORDER", "Omega", ("is at least of order",)),
    ("ORDER", "o", ("is small beside", "is negligible beside")),
    ("TENDS", "", ("tends to", "converges to", "approaches", "goes to")),
    ("SUMS", "to a finite sum", ("has a finite sum", "adds up to a finite sum", "is summable")),
    ("SUMS", "without end", ("has an infinite sum", "adds up without end", "is not summable")),
    ("BOUNDED", "", ("is at most a constant times", "is bounded by a constant times")),
    ("SETTLES", "", ("settles", "is stable", "is ergodic", "it settles", "stability")),
    ("SETTLES", "law", tuple(said for a, law in _LAWS for said in (
        f"has {a} {law}", f"{a} {law} exists", f"the {law} exists", f"there is {a} {law}",
        f"there exists {a} {law}",
    ))),
    ("SETTLES", "one", tuple(said for _, law in _LAWS for one in _ONE for said in (
        f"has {one} {law}", f"there is {one} {law}", f"there exists {one} {law}", f"{one} {law} exists",
        f"the {law} exists and is unique", f"the {law} is unique",
    ))),
    ("SETTLES", "not", (
        "does not settle", "is not stable", "is unstable", "diverges", "it does not settle",
    )),
    ("SETTLES", "no law", tuple(said for _, law in _LAWS for said in (
        f"has no {law}", f"there is no {law}", f"no {law} exists",
    ))),
    ("SETTLES", "normal", ("is normal", "is gaussian", "is normally distributed",
    "has a normal stationary law", "has a gaussian stationary law")),
    ("SETTLES", "uniform", ("is uniform on an interval", "is uniform", "is uniformly distributed",
    "has a uniform stationary law")),
    ("SETTLES", "laplace", ("is a laplace law", "is laplace", "has a laplace stationary law")),
    ("SETTLES", "reversible", ("is reversible", "is time-reversible", "is reversible in time",
    "looks the same in both directions of time", "satisfies detailed balance")),
    ("SAMPLES", "", ("samples the posterior as its step vanishes", "samples the posterior")),
    ("SAME", "", ("are the same algorithm", "are one algorithm", "are the same")),
)  # fmt: skip
# quantities that have a name; where a formula follows, the name only introduces it
NOUNS = {
    "the stationary covariance": "covariance", "stationary covariance": "covariance",
    "the covariance": "covariance",
    "the stationary variance": "covariance", "the variance": "covariance",
    "its covariance": "covariance",
    "its variance": "covariance", "its stationary covariance": "covariance",
    **dict.fromkeys(("step", "step size", "batch", "batch size", "minibatch size", "minibatch",
                     "dimension",
                     "learning rate", "friction", "damping", "curvature", "hessian", "noise covariance",
                     "gradient noise covariance", "noise", "precision", "matrix", "quantity", "number",
                     "a covariance", "condition number"), "letter"),
    **dict.fromkeys(("the posterior covariance", "posterior covariance", "the posterior variance",
                     "posterior variance", "the target covariance"), "posterior"),
    **dict.fromkeys(("real", "numbers", "real numbers"), "letter"),
    **dict.fromkeys(("the spectral radius", "spectral radius", "its spectral radius",
                     "the contraction rate", "the asymptotic rate"), "radius"),
    **dict.fromkeys(("the spectral gap", "spectral gap", "its spectral gap"), "gap"),
    "the bias": "bias", "its bias": "bias", "bias": "bias", "covariance": "covariance",
    "variance": "covariance",
}  # fmt: skip
NOISE = frozenset(
    ["the", "an", "a", "then", "we", "have", "that", "it", "holds", "its", "this", "of", "on", "to",
    "at", "to", "we", "get", "so", "hence", "thus", "always", "also", "both", "there", "here",
    "moreover", "in", "every", "dimension", "all", "steps", "chain", "sampler", "algorithm",
    "iteration", "law", "matrix", "matrices", "number", "quantity", "exactly", "equation", "lyapunov",
    "stationary", "value", "step", "any", "h's", "parameters", "condition", "case", "indeed"]
)  # fmt: skip


def phrases() -> Mapping[tuple[str, ...], tuple[str, str]]:
    """Every phrase as words, with its token and value."""
    found = {tuple(said.split()): (kind, value) for kind, value, ways in _SAID for said in ways}
    nouns = {tuple(said.split()): ("NOUN", what) for said, what in NOUNS.items()}
    return found | nouns


def longest(words: Iterable[tuple[str, ...]]) -> int:
    """How many words the longest has."""
    return max(map(len, words))


# what a title may not hold: it would be lost
HIDDEN = (
    *(said for kind, _, ways in _SAID for said in ways
      if kind in ("DISCRETE", "CONTINUOUS", "LIMIT", "UPTO", "UPTOFACTOR", "STATES", "EXISTS", "AMONG",
                  "FIRSTORDER", "DRAWN")),
    "if", "when", "whenever", "for all", "for every", "for any", "unless", "provided", "assuming",
    "assume", "suppose", "let", "as long as", "not", "only", "except", "while", "no", "never", "nowhere",
)  # fmt: skip
