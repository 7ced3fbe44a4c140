"""The parts of the CUDA text that are the same for every program.

Where a device has a cheap approximate instruction it is written as inline PTX; without a CUDA
compiler the shim gives a function of the same name.
"""

from __future__ import annotations

TYPES = {
    "float32": """typedef float real;
typedef int int_;
typedef unsigned int word_;
INLINE real fused(real a, real b, real c) { return __fmaf_rn(a, b, c); }
INLINE real root(real a) { return __fsqrt_rn(a); }
INLINE int_ bits(real a) { return __float_as_int(a); }
INLINE real unbits(int_ a) { return __int_as_float(a); }
INLINE real real_w(word_ a) { return __uint2float_rn(a); }
""",
    "float64": """typedef double real;
typedef long long int_;
typedef unsigned long long word_;
INLINE real fused(real a, real b, real c) { return __fma_rn(a, b, c); }
INLINE real root(real a) { return __dsqrt_rn(a); }
INLINE int_ bits(real a) { return __double_as_longlong(a); }
INLINE real unbits(int_ a) { return __longlong_as_double(a); }
INLINE word_ join(word_ high, word_ low) { return high << 32 | low; }
""",
}

HEAD = """// Kernels of {sampler} on {model} in {D} dimensions, {dtype}, {normals} normals.
// Generated: do not edit.
#define INLINE __device__ __forceinline__
typedef unsigned int w32;
typedef long long i64;
{types}#define fma fused
INLINE real real_i(int_ a) {{ return (real)a; }}
INLINE real absolute(real a) {{ return a < (real)0 ? -a : a + (real)0; }}
template <class T> INLINE T pick(bool condition, T a, T b) {{ return condition ? a : b; }}
INLINE real less(real a, real b) {{ return a < b ? (real)1 : (real)0; }}
INLINE real lessequal(real a, real b) {{ return a <= b ? (real)1 : (real)0; }}
INLINE real choose(real p, real a, real b) {{ return p != (real)0 ? a : b; }}
"""

PHILOX = """
INLINE void philox(w32 c0, w32 c1, w32 c2, w32 c3, w32 k0, w32 k1, w32 &a, w32 &b, w32 &d, w32 &e) {{
#pragma unroll
  for (int r = 0; r < {rounds}; ++r) {{
    w32 h0 = __umulhi({m0:#x}u, c0), l0 = {m0:#x}u * c0;
    w32 h1 = __umulhi({m1:#x}u, c2), l1 = {m1:#x}u * c2;
    c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0;
    k0 += {w0:#x}u; k1 += {w1:#x}u;
  }}
  a = c0; b = c1; d = c2; e = c3;
}}
"""

# Of a step's numbers, those before the first and after the last of the step go to waste here.
FILL = """
INLINE void fill_{purpose}(real *z, int at, w32 chain, w32 seed, i64 step, int normals) {{
  int size = {width};
  while (size > 1 && (size / 2 * normals) % {width} == 0) size /= 2;
  int begin = (int)(step % size) * normals;
  i64 group = step / size;
  w32 low = (w32)group, high = (w32)(group >> 32), a, b, d, e;
  for (int block = begin / {width}; block < (begin + normals + {width} - 1) / {width}; ++block) {{
    real *to = z + at + {width} + block * {width} - begin;
    philox((w32)block, low, high, chain, seed, {purpose}u, a, b, d, e);
    {normals}
  }}
}}

extern "C" __global__ void draw_{purpose}(
    real *out, w32 chain, w32 seed, i64 step, int normals, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  fill_{purpose}(out + thread * (normals + {width} * 2), 0, chain + (w32)thread, seed, step, normals);
}}
"""

# One level of the tree over a problem's blocks: a last one without a partner goes up as it is.
FOLD = """
extern "C" __global__ void fold_pairs(
    const double *rows, double *out, i64 each, i64 columns, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 half = (each + 1) / 2, row = thread / columns, place = row % half;
  const double *left = rows + (row / half * each + 2 * place) * columns + thread % columns;
  out[thread] = 2 * place + 1 < each ? left[0] + left[columns] : left[0];
}}
"""

# The state's numbers that are given, each at its row (-1: none); ``each`` blocks belong to a problem.
START = """
extern "C" __global__ void place_start(
    real *states, const i64 *rows, const double *values, i64 count, i64 each, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 lane = thread % {lanes}, k = thread / {lanes} % count, block = thread / {lanes} / count;
  i64 given = block / each * count + k;
  if (rows[given] >= 0) states[block * {row} + rows[given] * {lanes} + lane] = (real)values[given];
}}
"""

# Sums over a block's lanes in their order, and what a block says of the covariance. Lanes are read
# sixteen bytes at a time; operations and order are those of ``moments.Monomials.rows`` and
# ``reduce.Tree``. A problem has ``each`` blocks and ``chains`` chains.
SUMS = (
    """
struct Lanes {{ real at[{wide}]; }};

extern "C" __global__ void sum_monomials(
    const real *states, const i64 *index, i64 monomials, const double *centres, i64 chains, i64 each,
    double *rows, i64 columns, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 block = thread / monomials, m = thread % monomials, i = index[2 * m], j = index[2 * m + 1];
  bool square = j >= 0;
  if (!square) j = i;
  i64 left = chains - block % each * {lanes};
  int lanes = left < {lanes} ? (int)left : {lanes};
  const real *first = states + block * {row} + i * {lanes};
  const real *second = states + block * {row} + j * {lanes};
  const double *centre = centres + block / each * {size};
  double centre_i = centre[i], centre_j = centre[j], total = 0.0;
  for (int l = 0; l < lanes; l += {wide}) {{
    Lanes a = *(const Lanes *)(first + l), b = *(const Lanes *)(second + l);
#pragma unroll
    for (int k = 0; k < {wide}; ++k) {{
      double term = (double)a.at[k] - centre_i;
      if (square) term *= (double)b.at[k] - centre_j;
      if (l + k < lanes) total += term;
    }}
  }}
  rows[block * columns + m] = total;
}}

extern "C" __global__ void spread_blocks(
    double *rows, const i64 *index, i64 size, i64 pairs, i64 full, i64 each, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 block = thread / pairs, m = size + thread % pairs;
  double *row = rows + block * (size + 3 * pairs);
  double mean = row[index[2 * m]] * row[index[2 * m + 1]] / {lanes}.0;
  double covariance = block % each < full ? (row[m] - mean) / {lanes_less}.0 : 0.0;
  row[m + pairs] = covariance;
  row[m + 2 * pairs] = covariance * covariance;
}}
"""
    + FOLD
)

# For chains that lie side by side in a matrix: a stream's numbers.
DRAW_COLUMNS = """
extern "C" __global__ void draw_{purpose}(
    real *z, w32 first_chain, w32 seed, i64 group, i64 begin, i64 normals, i64 n, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 column = thread % n, block = begin / {width} + thread / n;
  w32 chain = first_chain + (w32)column, low = (w32)group, high = (w32)(group >> 32), a, b, d, e;
  philox((w32)block, low, high, chain, seed, {purpose}u, a, b, d, e);
  real t[{width}];
  {normals}
#pragma unroll
  for (int k = 0; k < {width}; ++k) {{
    i64 row = block * {width} + k - begin;
    if (row >= 0 && row < normals) z[row * n + column] = t[k];
  }}
}}
"""

# The same chains: where they start, inner products, sums over blocks of lanes.
COLUMNS = """
extern "C" __global__ void place_start(real *states, const double *values, i64 n, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < threads) states[thread] = (real)values[thread / n];
}}

extern "C" __global__ void inner(const real *left, const real *right, real *out, i64 n, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  real total = left[thread] * right[thread];
  for (i64 i = 1; i < {D}; ++i) total = fma(left[i * n + thread], right[i * n + thread], total);
  out[thread] = total;
}}

extern "C" __global__ void centre_blocks(
    const real *states, const double *centre, double *out, i64 size, i64 n, i64 chains, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  i64 column = thread % n, row = thread / n, block = column / {lanes};
  double value = column < chains ? (double)states[thread] - centre[row] : 0.0;
  out[(block * size + row) * {lanes} + column % {lanes}] = value;
}}

extern "C" __global__ void add_lanes(const double *block, double *sums, double *total, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  double sum = 0.0;
  for (int l = 0; l < {lanes}; ++l) sum += block[thread * {lanes} + l];
  sums[thread] = sum;
  total[thread] += sum;
}}

extern "C" __global__ void add_block(
    const double *squares, const double *sums, double *totals, i64 size, int whole, i64 threads) {{
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  double mean = sums[thread / size] * sums[thread % size] / {lanes}.0;
  double covariance = whole ? (squares[thread] - mean) / {lanes_less}.0 : 0.0;
  totals[thread] += squares[thread];
  totals[thread + threads] += covariance;
  totals[thread + 2 * threads] += covariance * covariance;
}}
"""

COPY = """
extern "C" __global__ void copy_numbers(const real *from, real *to, i64 threads) {
  i64 thread = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < threads) to[thread] = from[thread];
}
"""
