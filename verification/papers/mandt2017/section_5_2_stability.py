"""Section 5.2, after Corollary 6: how the injected noise is chosen for stability."""

from typing import Any

from sympy import symbols

from verification.notation import EE, C, Diagonal, N, S, Sigma, eps
from verification.statements import Compare, Equal, claim

# one coordinate, or two
_B, _h, _E = symbols("BB_kk h_max EE_kk", positive=True)
_small, _large, _share = symbols("BB_11 BB_22 alpha", positive=True)
# of the noise along a direction: its variance, that of what is added, fourth moment and two cumulants
_v, _s, _moment, _third, _fourth = symbols("v s m_4 k_3 k_4", positive=True)
_MORE = (Compare(_small, "<", _large),)
_FULL = eps * C + EE


def _injected(gradient_noise: Any) -> Any:
    """The printed variance of the injected noise in a coordinate."""
    return 2 / (_h * N) - eps * gradient_noise


solved = claim(
    "sec5_2.solved_for_e",
    at="section 5.2, after Corollary 6",
    title="The injected noise that makes all gains equal",
    says="Solving the diagonal gain of Corollary 6 for the injected noise gives its variance.",
    given=(Equal(_h, 2 / N * (eps * _B + _E) ** -1),),
    printed=Equal(_E, _injected(_B)),
)

solved_any_minibatch = claim(
    "sec5_2.solved_for_e_any_minibatch",
    at="section 5.2, after Corollary 6, read for minibatches",
    title="The same variance for minibatches of any size",
    says="The gain sees the gradient noise of a minibatch, the variance is taken as printed.",
    given=(Equal(_h, 2 / N * (eps * _B / S + _E) ** -1),),
    printed=Equal(_E, _injected(_B)),
)

variance_exists = claim(
    "sec5_2.variance_exists",
    at="section 5.2, after Corollary 6",
    title="Such an injected noise exists",
    says="The variance that is to be injected is not negative.",
    read=Compare(_injected(_B), ">=", 0),
)

largest_step = claim(
    "sec5_2.largest_step",
    at="section 5.2, after Corollary 6",
    title="The bounded gain of Eq. 27",
    says="The diagonal of the gain of Eq. 27 is taken to be no larger than the gain of the diagonal.",
    derived=Compare(2 / N * Diagonal(_FULL**-1), "<=", 2 / N * Diagonal(_FULL) ** -1),
    kinds=(("B", "positive definite"),),
)

where_too_small = claim(
    "sec5_2.noise_where_too_small",
    at="section 5.2, after Corollary 6",
    title="More noise where gradients vary less",
    says="A coordinate with less gradient noise gets more injected noise.",
    given=(*_MORE,),
    read=Compare(_injected(_small), ">", _injected(_large)),
)

opposite = claim(
    "sec5_2.opposite_advice",
    at="section 5.2, after Corollary 6",
    title="Opposite to injecting noise like the gradient's",
    says="Where proportional noise would be larger, the printed one is smaller.",
    given=(*_MORE,),
    read=Compare((_injected(_small) - _injected(_large)) * (_share * _small - _share * _large), "<", 0),
)

kurtosis = claim(
    "sec5_2.more_normal.kurtosis",
    at="section 5.2, last paragraph",
    title="Added normal noise makes gradient noise more normal",
    says="The excess kurtosis is multiplied by the squared share of the gradient noise in the variance.",
    derived=Equal(
        (_moment + 6 * _v * _s + 3 * _s**2) / (_v + _s) ** 2 - 3,
        (_moment / _v**2 - 3) * (_v / (_v + _s)) ** 2,
    ),
)

heavy_tails = claim(
    "sec5_2.more_normal.heavy_tails",
    at="section 5.2, last paragraph",
    title="Added noise makes heavy tails more normal",
    says="The excess kurtosis of gradient noise with heavy tails shrinks when normal noise is added.",
    read=Compare(
        (_fourth + 3 * _v**2 + 6 * _v * _s + 3 * _s**2) / (_v + _s) ** 2 - 3,
        "<",
        (_fourth + 3 * _v**2) / _v**2 - 3,
    ),
)

skewness = claim(
    "sec5_2.more_normal.skewness",
    at="section 5.2, last paragraph",
    title="Added noise makes skewed noise more normal",
    says="The squared skewness of gradient noise shrinks when normal noise is added.",
    read=Compare(_third**2 / (_v + _s) ** 3, "<", _third**2 / _v**3),
)

degenerate = claim(
    "sec5_2.degenerate",
    at="section 5.2, last paragraph",
    title="Injected noise of full rank prevents degenerate laws",
    says="Whatever the rank of the gradient noise, the stationary covariance has full rank.",
    of="sgfs",
    read=Compare(Sigma, ">", 0),
    kinds=(("E", "positive definite"), ("H", "positive definite")),  # E E^T has full rank
)
