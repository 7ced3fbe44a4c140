"""A stand-in for a GPU's array module: arrays that refuse to become NumPy's unless they are asked to.

As with CuPy, NumPy's functions work on them, and an operation that mixes them with arrays of the host
raises. It knows nothing of speed.
"""

import numpy as np


class OnDevice(np.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, host):
        self._host = np.asarray(host)

    def get(self):
        return self._host.copy()

    def __array__(self, *args, **kwargs):
        raise TypeError("implicit conversion to an array of the host")

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **kwargs):
        args = [unwrapped(x) for x in inputs]
        if out:
            kwargs["out"] = tuple(unwrapped(x) for x in out)
        return wrapped(getattr(ufunc, method)(*args, **kwargs))

    def __array_function__(self, function, types, args, kwargs):
        return wrapped(function(*unwrapped(args), **unwrapped(kwargs)))

    def __len__(self):
        return len(self._host)

    def __float__(self):
        return float(self._host)

    def __int__(self):
        return int(self._host)

    def __getitem__(self, where):
        return wrapped(self._host[unwrapped(where)])

    def __setitem__(self, where, value):
        self._host[unwrapped(where)] = unwrapped(value)

    def __getattr__(self, name):
        found = getattr(self._host, name)
        if callable(found):
            return lambda *args, **kwargs: wrapped(found(*unwrapped(args), **unwrapped(kwargs)))
        return wrapped(found) if isinstance(found, np.ndarray) else found


def wrapped(x):
    """Arrays, also those of no dimension, stay on the device."""
    if isinstance(x, np.ndarray | np.generic):
        return OnDevice(x)
    return tuple(wrapped(y) for y in x) if isinstance(x, tuple) else x


def unwrapped(x):
    if isinstance(x, OnDevice):
        return x._host
    if isinstance(x, np.ndarray) and x.ndim:
        raise TypeError("an array of the host among those of the device")
    if isinstance(x, dict):
        return {k: unwrapped(v) for k, v in x.items()}
    return type(x)(unwrapped(y) for y in x) if isinstance(x, tuple | list) else x


class _Generator:
    def __init__(self, seed):
        self._rng = np.random.default_rng(seed)

    def standard_normal(self, shape, dtype):
        return OnDevice(self._rng.standard_normal(shape, dtype=dtype))


class _Random:
    default_rng = _Generator


class Module:
    """What stands for ``cupy``."""

    random = _Random

    @staticmethod
    def asarray(x, dtype=None):
        return OnDevice(np.asarray(x._host if isinstance(x, OnDevice) else x, dtype))

    def __getattr__(self, name):
        function = getattr(np, name)
        return lambda *args, **kwargs: wrapped(function(*unwrapped(args), **unwrapped(kwargs)))
