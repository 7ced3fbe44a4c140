"""The law by brute force: the declaration evaluated in NumPy, and a Kronecker solve.

Shares nothing with the package but the declaration: its own evaluator of expressions, its own
algebra, no modes, no congruence, no simplification.
"""

import numpy as np
import sympy as sp
from scipy.linalg import sqrtm

from sgtheory.declare import Apply, FullGradient, Gradient, Local, Noise, Root


class Evaluator:
    """Runs one declared step on numbers."""

    def __init__(self, sampler, values):
        self.sampler = sampler
        self.scalars = {k: float(v) for k, v in values.scalars.items()}
        self.matrices = {
            k: np.array([[float(x) for x in r] for r in m]) for k, m in values.matrices.items()
        }
        C = self.matrices["C"]
        w, U = np.linalg.eigh(C)
        self.B = U * np.sqrt(np.clip(w, 0, None))
        self.D = len(C)

    def matrix(self, name):
        if isinstance(name, Root):
            return np.real(sqrtm(self.matrix(name.args[0])))
        return self.matrices[name.name]

    def value(self, expr, env, noise):
        """A number or a vector."""
        if expr in env:
            return env[expr]
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
            return self.value(expr.args[0], env, noise) ** float(expr.args[1])
        if expr.is_number:
            return float(expr)
        return self.scalars[expr.name]

    def step(self, states, noise, simultaneous=False):
        env = dict(states)
        change = dict.fromkeys(states, 0.0)
        for target, expr in self.sampler.updates:
            new = self.value(expr, env, noise)
            if simultaneous and not isinstance(target, Local):
                change[target] = change[target] + new - states[target]
            else:
                env[target] = new
        result = change if simultaneous else env
        return np.concatenate([result[s] for s in states])

    def linear(self, simultaneous=False):
        """M and Q of the step (or of its increments), found on unit vectors."""
        names = [s.name for s in self.sampler.noises] + [f"batch{k}" for k in self.sampler.gradients]
        zero = np.zeros(self.D)
        quiet = dict.fromkeys(self.sampler.state, zero)
        silent = dict.fromkeys(names, zero)
        columns = [
            self.step({**quiet, s: e}, silent, simultaneous)
            for s in self.sampler.state
            for e in np.eye(self.D)
        ]
        noises = [
            self.step(quiet, {**silent, n: e}, simultaneous) for n in names for e in np.eye(self.D)
        ]
        return np.array(columns).T, np.array(noises).T @ np.array(noises)


def stationary(M, Q, time):
    """P = M P M^T + Q or M P + P M^T + Q = 0 by one big solve, refined in extended precision."""
    n = len(M)
    one = np.eye(n)
    L = np.eye(n * n) - np.kron(M, M) if time == "discrete" else -np.kron(M, one) - np.kron(one, M)
    P = np.linalg.solve(L, Q.ravel())
    wide = L.astype(np.longdouble)
    for _ in range(3):
        rest = Q.ravel().astype(np.longdouble) - wide @ P
        P = P + np.linalg.solve(L, rest.astype(float))
    return np.array(P, float).reshape(n, n)
