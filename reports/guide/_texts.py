"""Texts that are judged while the page on texts is made."""

ORDERS = """beta | in [0, 1) | momentum
h | positive | step size
C | positive definite matrix | gradient noise covariance

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

**Claim 1.** In discrete time, if D = 1, then Sigma increases with beta.
"""
RANDOM = r"""# Minibatches whose curvature is random

| letter | kind | what it is |
| --- | --- | --- |
| h | positive | step size |
| T, a, b, m, s, eta | positive | |
| beta | in [0, 1) | momentum |

```sampler control_variate
xi ~ N(0, I)
c_k ~ (m, s^2)
theta' = (1 - h c_k) theta + sqrt(2 h T) xi
```

```sampler heavy
v' = beta v - h g(theta)
theta' = theta + v'
```

```sampler trapezoid
xi ~ N(0, I)
theta' = theta - h grad((theta + theta')/2) + sqrt(2 h T) xi
```

Sampler: control_variate, in discrete time.

**Claim 1.** The chain is stable and $E[\theta^2] = \frac{2 T}{2 m - h (m^2 + s^2)}$.

**Claim 2.** The chain is stable if and only if $h m < 2$.

Sampler: heavy, in discrete time.

**Claim 3.** If $A = a I$, $C = b I$, S = 1 and $h = \eta (1 - \beta)$,
then $\Sigma = \frac{\eta b}{a (2 - \frac{1 - \beta}{1 + \beta} \eta a)} I$.

Sampler: trapezoid, in discrete time.

**Claim 4.** The chain is stable and $\Sigma = T A^{-1}$.
"""
MATRICES = r"""# A preconditioner

| letter | kind | what it is |
| --- | --- | --- |
| h, T | positive | step, temperature |
| A | positive definite matrix | curvature |
| C | positive definite matrix | gradient noise covariance |
| P | positive definite matrix | |
| S | whole number | minibatch size |

```sampler preconditioned
theta' = theta - h P g(theta)
```

```sampler lmc
zeta ~ N(0, I)
theta' = theta - h grad(theta) + sqrt(2 h T) zeta
```

```sampler corrected
zeta ~ N(0, I)
theta' = theta - h g(theta) + (2 h T I - h^2 C)^{1/2} zeta
```

Sampler: preconditioned, in discrete time.

**Claim 1.** If S = 1 and $P = \frac{2 T}{h} (C + T A)^{-1}$, then the chain is stable.

**Claim 2.** If S = 1 and P A = I, then $\Sigma = \frac{h}{2} A^{-1} C A^{-1}$.

Sampler: corrected, in discrete time.

**Claim 3.** If S = 1, then $\Sigma = \Sigma_{lmc}$.
"""
BENT = r"""# Chains that are not linear

| letter | kind | what it is |
| --- | --- | --- |
| h, T, c | positive | step, temperature, largest slope |
| U, phi | function | a potential, and what is averaged |
| pi | density exp(-U(x)/T) | target |

```sampler lmc
xi ~ N(0, 1)
x' = x - h U'(x) + sqrt(2 h T) xi
```

**Claim 1.** $E[\phi] = E_\pi[\phi] + h \mathrm{Cov}_\pi(\phi, U'^2/(4T) - U''/2) + O(h^2)$.

**Claim 2.** If U(x) = x^4/4, the chain has a stationary law for all small enough h.

```sampler clipped
xi ~ N(0, 1)
x' = x - h clip_c(x^3) + sqrt(2 h T) xi
```

**Claim 3.** The chain has exactly one stationary law.

```sampler absolute
xi ~ N(0, 1)
x' = x - h sign(x) + sqrt(2 h T) xi
```

**Claim 4.** E[|x|] = T + h/2.
"""
DRAWN = r"""# Noise of another law

| letter | kind | what it is |
| --- | --- | --- |
| h, a, c, kappa | positive | step, curvature, variance and fourth cumulant of the noise |

```sampler coins
xi ~ signs
x' = x - h (a x + sqrt(c) xi)
```

**Claim 1.** If h a = 1/2, the stationary law is uniform on an interval.

**Claim 2.** If h a < 2, the stationary law is uniform on an interval if and only if h a = 1/2.

```sampler known
xi has mean 0, variance c, third cumulant 0, fourth cumulant kappa
x' = x - h (a x + xi)
```

**Claim 3.** If h a < 2, then $Kurt(x) - 3 = \frac{\kappa}{c^2} \frac{1 - (1 - h a)^2}{1 + (1 - h a)^2}$.

```sampler flat
xi ~ uniform(-1, 1)
x' = x - h a x + h xi
```

**Claim 4.** The chain has a stationary law if and only if h a < 2.

```sampler clipped
xi ~ N(0, 1)
x' = x - h clip_c(a x + xi)
```

**Claim 5.** The chain has a stationary law if and only if h a < 2.
"""
BEST = r"""h | positive | step size
b | in (-1, 1) | momentum
a, c | positive |
N | whole number, at least 2 |

```sampler heavy
v' = b v - h g(theta)
theta' = theta + v'
```

Sampler: heavy, in discrete time.

**Claim 1.** If D = 1, S = 1, A = a I, C = c I and h a < 4,
then $\Sigma$ is least at $b = 1 - \sqrt{h a}$.

```sampler epochs
theta' = theta - h g(theta)
examples in a fresh random order in every epoch
```

Sampler: epochs, in discrete time.

**Claim 2.** If D = 1, S = 1, A = a I and C = c I, then $\Sigma = \frac{N (N + 1)}{24} a h^3 c I$.
"""
