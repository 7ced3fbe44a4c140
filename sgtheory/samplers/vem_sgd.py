"""SGD as variational EM: constant steps for the parameters, decreasing ones for the prior's precision.

The loss is that of the model, and an N-th of the normal prior's: lambda |theta|^2/2 - (D/2) log(lambda).
Its precision is one number, carried as a vector whose coordinates are all the same. Its steps are
rho_t = rho (1 + t)^(-c).
"""

from sgtheory.declare import Card, D, N, Sampler, dot, gradient, local, ones, positive, state, t

theta, lam = state("theta lambda")
old = local("old")
eps, rho, c, lambda0 = positive("eps rho c lambda0")
rho_t = rho * (1 + t) ** -c

VEM_SGD = Sampler(
    state=(theta, lam),
    updates=(
        (old, theta),
        (theta, theta - eps * (gradient(theta) + lam * theta / N)),
        (lam, lam - rho_t / N * (dot(old, old) / 2 * ones - D / (2 * lam))),
    ),
    defaults=((rho, 1), (c, 1), (lambda0, 1)),
    given=(c <= 1,),
    start=((lam, lambda0 * ones),),
    convention=Card(
        loss="mean",
        drift="$eps$; $rho_t = rho*(1 + t)^(-c)$ for the precision",
        order="both lines see the old values",
    ),
    cites=("mandt2017 Eq. 22", "mandt2017 Eq. 35"),
)
