"""The operations that generated kernels use and that Numba does not offer as single instructions.

Types never change silently here: a fused multiply-add of two floats and a float is a float.
"""

# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

# No flag that reorders, contracts or replaces anything: the bits must not depend on the compiler.
OPTIONS = {"error_model": "numpy", "boundscheck": False, "fastmath": False, "nogil": True}

U32, U64, I32, I64 = np.uint32, np.uint64, np.int32, np.int64
F32, F64 = np.float32, np.float64
LOW = U64(0xFFFFFFFF)
HALF = U64(32)

inline = njit(forceinline=True, **OPTIONS)

_LLVM = {"float": "f32", "double": "f64"}


def _call(builder: Any, name: str, args: Any) -> Any:
    kind = args[0].type
    signature = ir.FunctionType(kind, [kind] * len(args))
    return builder.call(
        cgutils.get_or_insert_function(builder.module, signature, f"llvm.{name}.{_LLVM[str(kind)]}"),
        args,
    )


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """``a*b + c`` with one rounding."""
    if not a == b == c or not isinstance(a, types.Float):
        return None
    return a(a, a, a), lambda context, builder, sig, args: _call(builder, "fma", args)


@intrinsic
def root(typing: Any, a: Any) -> Any:
    """The square root, correctly rounded."""
    return a(a), lambda context, builder, sig, args: _call(builder, "sqrt", args)


@intrinsic
def absolute(typing: Any, a: Any) -> Any:
    """The absolute value."""
    return a(a), lambda context, builder, sig, args: _call(builder, "fabs", args)


@intrinsic
def bits(typing: Any, a: Any) -> Any:
    """The bit pattern of a float as a signed integer of its size."""
    result = {types.float32: types.int32, types.float64: types.int64}[a]

    def make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(result))

    return result(a), make


@intrinsic
def unbits(typing: Any, a: Any) -> Any:
    """The float of a bit pattern."""
    result = {types.int32: types.float32, types.int64: types.float64}[a]

    def make(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(result))

    return result(a), make


@intrinsic
def real_w(typing: Any, a: Any) -> Any:
    """The float32 nearest to an unsigned word."""
    if a != types.uint32:
        return None
    return types.float32(a), lambda context, builder, sig, args: builder.uitofp(args[0], ir.FloatType())


@inline
def join(high: Any, low: Any) -> Any:
    """Two 32-bit words, in the low halves of 64-bit numbers, as one 64-bit word."""
    return ((high & LOW) << HALF) | (low & LOW)


@inline
def pick(condition: Any, a: Any, b: Any) -> Any:
    """One of two values."""
    return a if condition else b
