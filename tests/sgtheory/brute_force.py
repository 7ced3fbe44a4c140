"""The law by brute force: the declaration evaluated in NumPy, and a Kronecker solve.

Shares nothing with the package but the declaration: its own evaluator of expressions, its own
algebra, no modes, no congruence, no simplification.
"""

import numpy as np
import sympy as sp
from scipy.linalg import sqrtm

from sgtheory.declare import Apply, FullGradient, Gradient, Local, Noise, Root, mode, t


class Evaluator:
    """Runs one declared step on numbers."""

    def __init__(self, sampler, values):
        self.sampler = sampler
        self.short = dict(sampler.where)
        self.scalars = {k: float(v) for k, v in values.scalars.items()}
        self.matrices = {
            k: np.array([[float(x) for x in r] for r in m]) for k, m in values.matrices.items()
        }
        C = self.matrices["C"]
        w, U = np.linalg.eigh(C)
        self.B = U * np.sqrt(np.clip(w, 0, None))
        self.D = len(C)
        self.period = self._period()

    @property
    def precision(self):
        """Of what the sampler is after: N A to a power, and a spring."""
        power, spring = (self.value(sp.sympify(x), {}, None) for x in self.sampler.target)
        return power * self.scalars["N"] * self.matrices["A"] + spring * np.eye(self.D)

    def matrix(self, name):
        if isinstance(name, Root):
            return np.real(sqrtm(self.matrix(name.args[0])))
        return self.matrices[name.name]

    def value(self, expr, env, noise):
        """A number, or a column to each run."""
        if expr in env:
            return env[expr]
        if expr in self.short:
            return self.value(self.short[expr], env, noise)
        if expr == mode:
            return np.zeros((self.D, 1))  # of the quadratic model
        if isinstance(expr, sp.Piecewise):
            chosen = next(e for e, c in expr.args if bool(c.subs(self._numbers(env))))
            return self.value(chosen, env, noise)
        if isinstance(expr, sp.Mod):
            return float(expr.subs(self._numbers(env)))
        if isinstance(expr, sp.exp):
            return np.exp(self.value(expr.args[0], env, noise))
        if isinstance(expr, Noise):
            return noise[expr.name]
        if isinstance(expr, Gradient):
            x = self.value(expr.args[0], env, noise)
            drawn = noise[f"batch{int(expr.args[1])}"]
            return self.matrices["A"] @ x + self.B @ drawn / np.sqrt(self.scalars["S"])
        if isinstance(expr, FullGradient):
            return self.matrices["A"] @ self.value(expr.args[0], env, noise)
        if isinstance(expr, Apply):
            return self.matrix(expr.args[0]) @ self.value(expr.args[1], env, noise)
        if isinstance(expr, sp.Add):
            return sum(self.value(a, env, noise) for a in expr.args)
        if isinstance(expr, sp.Mul):
            product = 1.0
            for a in expr.args:
                product = product * self.value(a, env, noise)
            return product
        if isinstance(expr, sp.Pow):
            return self.value(expr.args[0], env, noise) ** self.value(expr.args[1], env, noise)
        if expr.is_number:
            return float(expr)
        return self.scalars[expr.name]

    def _numbers(self, env):
        return {k: sp.Integer(int(v)) for k, v in env.items() if k == t} | {
            s: sp.Integer(int(v))
            for s, v in ((p, self.scalars.get(p.name)) for p in self.sampler.parameters)
            if v is not None and v == int(v)
        }

    def _period(self):
        names = {"iasg": "T", "svrg_ld": "m"}
        names |= dict.fromkeys(("sghmc_refreshed", "sghmc_velocity_first_refreshed"), "L")
        if self.sampler.batches == "reshuffled":
            return int(self.scalars["N"] / self.scalars["S"])
        return int(self.scalars[names[self.sampler.name]]) if self.sampler.name in names else 1

    def step(self, states, noise, simultaneous, clock):
        """The states after a step, stacked; a column to each run."""
        env = {**states, t: clock}
        change = dict.fromkeys(states, 0.0)
        for target, expr in self.sampler.updates:
            new = self.value(expr, env, noise)
            if simultaneous and not isinstance(target, Local):
                change[target] = change[target] + new - states[target]
            else:
                env[target] = new
        result = change if simultaneous else env
        return np.concatenate([result[s] for s in states])

    def linear(self, simultaneous=False, steps=None):
        """M and Q of a period (or of the increments of one step), found on unit vectors.

        ``steps`` asks for so many steps instead. Every step has noises of its own; those of a
        reshuffled epoch are exchangeable and sum to zero.
        """
        if simultaneous and self.sampler.limit == "step":
            return self._rates()
        count = 1 if simultaneous else steps or self.period
        total, columns = np.eye(self.D * len(self.sampler.state)), []
        alike = not any(sp.sympify(e).has(t) for pair in self._written() for e in pair)
        runs = [self._one(simultaneous, clock) for clock in range(1 if alike else count)]
        for M, noise in runs * count if alike else runs:
            total, columns = M @ total, [M @ c for c in columns] + [noise]
        if self.sampler.batches != "reshuffled":
            return total, sum(c @ c.T for c in columns)
        K, N, S = self.period, self.scalars["N"], self.scalars["S"]
        alone = (N - S) / (N - 1) if N > 1 else 0.0
        Q = 0
        for begin in range(0, len(columns), K):
            epoch = columns[begin : begin + K]
            # the K noises of a whole epoch sum to zero, so what they have in common drops out;
            # of an unfinished one, the steps still to come take their part of it
            missing = [0 * epoch[0]] * (K - len(epoch))
            common = sum(epoch) / K
            Q = Q + sum((x - common) @ (x - common).T for x in epoch + missing)
        Q = Q * alone * K / (K - 1) if K > 1 else Q * alone
        return total, Q

    def _written(self):
        return (*self.sampler.updates, *self.sampler.where)

    def _rates(self):
        """Drift and noise per unit of time as the step goes to zero, by an imaginary step."""
        tiny, eps = 1e-30, self.scalars["eps"]
        self.scalars["eps"] = eps * 1j * tiny
        M, noise = self._one(False, 0)
        self.scalars["eps"] = eps
        injected = len(self.sampler.noises) * self.D  # these have variance of order the step ...
        x, y = noise[:, :injected], noise[:, injected:]  # ... and minibatches of its square
        return M.imag / tiny, (x @ x.T).imag / tiny - (y @ y.T).real / tiny**2

    def _one(self, simultaneous, clock):
        """One step on all unit vectors side by side: of the states, then of the noises."""
        names = [s.name for s in self.sampler.noises] + [f"batch{k}" for k in self.sampler.gradients]
        m, runs = len(self.sampler.state), self.D * (len(self.sampler.state) + len(names))
        units = np.eye(runs).reshape(-1, self.D, runs)
        states = dict(zip(self.sampler.state, units[:m], strict=True))
        noise = dict(zip(names, units[m:], strict=True))
        whole = self.step(states, noise, simultaneous, clock)
        return whole[:, : m * self.D], whole[:, m * self.D :]


def equation(M, time):
    """The matrix of P = M P M^T + Q, or of M P + P M^T + Q = 0, on the entries of P."""
    one = np.eye(len(M))
    if time == "discrete":
        return np.eye(len(M) ** 2) - np.kron(M, M)
    return -np.kron(M, one) - np.kron(one, M)


def stationary(M, Q, time):
    """The P of that equation by one big solve, refined in extended precision."""
    n = len(M)
    L = equation(M, time)
    P = np.linalg.solve(L, Q.ravel())
    wide = L.astype(np.longdouble)
    for _ in range(3):
        rest = Q.ravel().astype(np.longdouble) - wide @ P
        P = P + np.linalg.solve(L, rest.astype(float))
    return np.array(P, float).reshape(n, n)
