// What one core of this machine can do: the rates that no simulation of chains can pass.
//
//     g++ -O3 -march=native -std=c++17 limits.cpp -o limits && ./limits 0.1
//
// prints one JSON document: operations a second, each measured for the given number of seconds. "checks" holds
// what the generator and the transform returned, for the reader to hold against what they should return.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#ifdef __AVX512F__
constexpr int BYTES = 64;
#else
constexpr int BYTES = 32;
#endif

template <class T> struct Of { typedef T type __attribute__((vector_size(BYTES))); };
template <class T> using Vector = typename Of<T>::type;
template <class T> constexpr int LANES = BYTES / sizeof(T);
typedef Vector<float> F32;
typedef Vector<double> F64;
typedef Vector<int32_t> I32;
typedef Vector<uint32_t> U32;
typedef Vector<int64_t> I64;
typedef Vector<uint64_t> U64;

static volatile double sink;  // what is computed must be used

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// How often a second a turn, which does `operations` at once, can be done: the upper decile over turns of less
// than a millisecond. What else runs on the machine hits some turns and not others; a limit is what it can do.
template <class Turn> static double rate(double seconds, double operations, Turn turn) {
  std::vector<double> taken;
  turn();
  double begin = now(), before = begin;
  do {
    turn();
    double after = now();
    taken.push_back(after - before);
    before = after;
  } while (before - begin < seconds || taken.size() < 5);
  std::sort(taken.begin(), taken.end());
  return operations / taken[taken.size() / 10];
}

template <class V> static double total(V v) {
  double sum = 0;
  for (unsigned l = 0; l < sizeof(V) / sizeof(v[0]); ++l) sum += double(v[l]);
  return sum;
}

// ---- arithmetic ------------------------------------------------------------------------------------------

static double clock_rate(double seconds) {  // each addition waits for the one before it: one a cycle
  return rate(seconds, 1e6, [] {
    uint64_t x = 1;
#ifdef __x86_64__
    for (int k = 0; k < 250000; ++k)
      asm volatile("add %0, %0\n\tadd %0, %0\n\tadd %0, %0\n\tadd %0, %0" : "+r"(x));
#else
    for (int k = 0; k < 1000000; ++k) {
      x += x;
      asm volatile("" : "+r"(x));
    }
#endif
    sink = double(x);
  });
}

template <class T> static double fma_rate(double seconds) {
  constexpr int CHAINS = BYTES == 64 ? 24 : 12;  // as registers allow: few do not fill both units evenly
  const Vector<T> shrink = Vector<T>{} + T(0.999), push = Vector<T>{} + T(1e-3);
  return rate(seconds, 1e5 * CHAINS * LANES<T>, [=] {
    Vector<T> x[CHAINS], sum{};
    for (int i = 0; i < CHAINS; ++i) x[i] = push * T(i);
    for (int k = 0; k < 100000; ++k)
#pragma GCC unroll 24
      for (int i = 0; i < CHAINS; ++i) x[i] = x[i] * shrink + push;
    for (int i = 0; i < CHAINS; ++i) sum += x[i];
    sink = total(sum);
  });
}

// ---- Philox4x32-10 ---------------------------------------------------------------------------------------

// The product of the low halves of 64-bit lanes. What is in the high halves does not matter.
static inline U64 wide_product(U64 a, uint32_t constant) {
#if defined(__AVX512F__)
  return (U64)_mm512_mul_epu32((__m512i)a, _mm512_set1_epi64(constant));
#elif defined(__AVX2__)
  return (U64)_mm256_mul_epu32((__m256i)a, _mm256_set1_epi64x(constant));
#else
  return (a & 0xFFFFFFFFull) * (U64{} + constant);
#endif
}

struct Words { U64 w[4]; };  // a word in the low half of each lane

// CALLS independent calls, round by round, so that multiplications of one hide behind those of the others.
template <int CALLS> static inline void philox(Words (&c)[CALLS], uint32_t key0, uint32_t key1) {
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 8
    for (int i = 0; i < CALLS; ++i) {
      U64 *w = c[i].w, p = wide_product(w[0], 0xD2511F53u), q = wide_product(w[2], 0xCD9E8D57u);
      U64 first = (q >> 32) ^ w[1] ^ (U64{} + key0), third = (p >> 32) ^ w[3] ^ (U64{} + key1);
      w[0] = first; w[1] = q; w[2] = third; w[3] = p;
    }
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

template <int CALLS> static inline void counters(Words (&c)[CALLS], uint64_t turn) {
  U64 lane{};
  for (int l = 0; l < LANES<uint64_t>; ++l) lane[l] = uint64_t(l);
#pragma GCC unroll 8
  for (int i = 0; i < CALLS; ++i) c[i] = {{lane, U64{} + uint64_t(i), U64{} + turn, U64{}}};
}

static double philox_rate(double seconds) {
  constexpr int CALLS = 4;
  uint64_t turn = 0;
  return rate(seconds, 1e4 * CALLS * 4 * LANES<uint64_t>, [&] {
    U64 all{};
    for (int k = 0; k < 10000; ++k) {
      Words c[CALLS];
      counters(c, turn++);
      philox(c, 7, 9);
#pragma GCC unroll 8
      for (int i = 0; i < CALLS; ++i) all ^= c[i].w[0] ^ c[i].w[1] ^ c[i].w[2] ^ c[i].w[3];
    }
    sink = double(all[0]);
  });
}

// ---- normals: Box-Muller with polynomials ----------------------------------------------------------------

#if defined(__AVX512F__)
static inline F32 root(F32 x) { return (F32)_mm512_sqrt_ps((__m512)x); }
static inline F64 root(F64 x) { return (F64)_mm512_sqrt_pd((__m512d)x); }
#elif defined(__AVX2__)
static inline F32 root(F32 x) { return (F32)_mm256_sqrt_ps((__m256)x); }
static inline F64 root(F64 x) { return (F64)_mm256_sqrt_pd((__m256d)x); }
#else
template <class V> static inline V root(V x) {
  for (unsigned l = 0; l < sizeof(V) / sizeof(x[0]); ++l) x[l] = __builtin_sqrt(x[l]);
  return x;
}
#endif

template <class V, class T, size_t N> static inline V polynomial(const T (&coefficients)[N], V x) {
  V value = V{} + coefficients[0];
#pragma GCC unroll 16
  for (size_t k = 1; k < N; ++k) value = value * x + coefficients[k];
  return value;
}

// log(1 + m) (Cephes; fdlibm), sine and cosine within an eighth of a turn (Cephes), exp (fitted; Taylor).
static constexpr float LOG32[] = {7.0376836292e-2f, -1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f,
  1.4249322787e-1f, -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f};
static constexpr float SIN32[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
static constexpr float COS32[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
static constexpr float EXP32[] = {1.3814532431e-3f, 8.3687454462e-3f, 4.1668392718e-2f, 1.6666521132e-01f,
  4.9999994040e-1f};
static constexpr double LOG64[] = {1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
  2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01};
static constexpr double SIN64[] = {1.58962301576546568060e-10, -2.50507477628578072866e-8,
  2.75573136213857245213e-6, -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1};
static constexpr double COS64[] = {-1.13585365213876817300e-11, 2.08757008419747316778e-9,
  -2.75573141792967388112e-7, 2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2};
static constexpr double EXP64[] = {1 / 6227020800.0, 1 / 479001600.0, 1 / 39916800.0, 1 / 3628800.0,
  1 / 362880.0, 1 / 40320.0, 1 / 5040.0, 1 / 720.0, 1 / 120.0, 1 / 24.0, 1 / 6.0, 0.5};

static inline F32 logarithm(F32 f) {
  I32 bits = (I32)f, e = (bits - 0x3F3504F3) >> 23;
  F32 m = (F32)(bits - (e << 23)) - 1.0f, m2 = m * m;
  F32 small = polynomial(LOG32, m) * m2 * m + (m2 * -0.5f + m);
  return __builtin_convertvector(e, F32) * 0.69314718f + small;
}

static inline F64 logarithm(F64 f) {
  I64 bits = (I64)f, e = (bits - 0x3FE6A09E667F3BCD) >> 52;
  F64 m = (F64)(bits - (e << 52)) - 1.0, s = m / (m + 2.0), s2 = s * s, h = m * m * 0.5;
  F64 small = m - (h - s * (polynomial(LOG64, s2) * s2 + h));
  return __builtin_convertvector(e, F64) * 0.6931471805599453 + small;
}

static inline F32 sine(F32 x, F32 y) { return polynomial(SIN32, y) * (y * x) + x; }
static inline F64 sine(F64 x, F64 y) { return polynomial(SIN64, y) * (y * x) + x; }
static inline F32 cosine(F32 y) { return polynomial(COS32, y) * (y * y) + (y * -0.5f + 1.0f); }
static inline F64 cosine(F64 y) { return polynomial(COS64, y) * (y * y) + (y * -0.5 + 1.0); }
static inline F32 uniform(U32 w) { return __builtin_convertvector(w, F32) * 0x1p-32f + 0x1p-33f; }
static inline F64 uniform(U64 w) { return __builtin_convertvector((I64)(w >> 11), F64) * 0x1p-53 + 0x1p-54; }

// Two normals from two words: the top two bits of the angle are a quadrant, the rest an eighth of a turn.
template <class T, class W, class I> static inline void box_muller(W radius, W angle, Vector<T> (&z)[2]) {
  constexpr int TOP = 8 * sizeof(T) - 1;
  typedef Vector<T> V;
  V r = root(logarithm(uniform(radius)) * T(-2));
  V x = __builtin_convertvector((I)(angle << 2), V) * T(1.5707963267948966 / (TOP == 31 ? 0x1p32 : 0x1p64));
  V y = x * x;
  I s = (I)sine(x, y), c = (I)cosine(y), turned = (I)(angle << 1), odd = turned < 0;
  I sign = (I)((W{} + 1) << TOP);
  I first = odd ? c : s, second = odd ? s : c;
  z[0] = r * (V)(first ^ ((I)angle & sign));
  z[1] = r * (V)(second ^ (((I)angle ^ turned) & sign));
}

static inline void transform(U32 a, U32 b, F32 (&z)[2]) { box_muller<float, U32, I32>(a, b, z); }
static inline void transform(U64 a, U64 b, F64 (&z)[2]) { box_muller<double, U64, I64>(a, b, z); }

template <class T, class W> static double transform_rate(double seconds) {  // words cost an addition
  constexpr auto FIRST = sizeof(T) == 8 ? 0x9E3779B97F4A7C15ull : 0x9E3779B9u;
  constexpr auto SECOND = sizeof(T) == 8 ? 0xD1B54A32D192ED03ull : 0xBB67AE85u;
  return rate(seconds, 2e4 * LANES<T>, [] {
    W u, v;
    for (int l = 0; l < LANES<T>; ++l) u[l] = FIRST * unsigned(l + 1), v[l] = SECOND * unsigned(l + 3);
    Vector<T> a{}, b{};
    for (int k = 0; k < 10000; ++k) {
      Vector<T> z[2];
      u += FIRST, v += SECOND;
      transform(u, v, z);
      a += z[0], b += z[1];
    }
    sink = total(a + b);
  });
}

// ---- a minibatch gradient of logistic regression: rows of a table as columns, and their weights ------------

constexpr int ROWS = 10000, WIDTH = 16, COLUMNS = 10;  // ten numbers a row, padded to whole lines

template <class V> static inline void use(const V &v) {
#ifdef __AVX2__
  asm volatile("" : : "v"(v));
#else
  sink = v[0];
#endif
}

// Column i has in lane l number i of the row that begins at t + at[l]: each row is read once, in pieces of sixteen
// bytes or two of them, and squares of pieces are turned.
#if defined(__AVX512F__)
static inline __m512 two(const float *a, const float *b) {
  return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(a)), _mm256_loadu_ps(b), 1);
}
static inline __m512d two(const double *a, const double *b) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(a)), _mm256_loadu_pd(b), 1);
}
static inline void turned(const float *t, const uint32_t *at, F32 (&c)[COLUMNS]) {
  __m512 v[3][4];
#pragma GCC unroll 4
  for (int k = 0; k < 4; ++k) {
    const float *r[] = {t + at[k], t + at[k + 4], t + at[k + 8], t + at[k + 12]};
    __m512 a = two(r[0], r[1]), b = two(r[2], r[3]), d = _mm512_castps128_ps512(_mm_loadu_ps(r[0] + 8));
    v[0][k] = _mm512_shuffle_f32x4(a, b, 0x88);
    v[1][k] = _mm512_shuffle_f32x4(a, b, 0xDD);
    d = _mm512_insertf32x4(d, _mm_loadu_ps(r[1] + 8), 1);
    d = _mm512_insertf32x4(d, _mm_loadu_ps(r[2] + 8), 2);
    v[2][k] = _mm512_insertf32x4(d, _mm_loadu_ps(r[3] + 8), 3);
  }
#pragma GCC unroll 3
  for (int p = 0; p < 3; ++p) {
    __m512 *q = v[p], a = _mm512_unpacklo_ps(q[0], q[2]), b = _mm512_unpacklo_ps(q[1], q[3]);
    c[4 * p] = (F32)_mm512_unpacklo_ps(a, b), c[4 * p + 1] = (F32)_mm512_unpackhi_ps(a, b);
    if (4 * p + 2 >= COLUMNS) break;
    a = _mm512_unpackhi_ps(q[0], q[2]), b = _mm512_unpackhi_ps(q[1], q[3]);
    c[4 * p + 2] = (F32)_mm512_unpacklo_ps(a, b), c[4 * p + 3] = (F32)_mm512_unpackhi_ps(a, b);
  }
}
static inline void turned(const double *t, const uint32_t *at, F64 (&c)[COLUMNS]) {
  __m512d v[5][2];
#pragma GCC unroll 2
  for (int k = 0; k < 2; ++k) {
    const double *r[] = {t + at[k], t + at[k + 2], t + at[k + 4], t + at[k + 6]};
#pragma GCC unroll 2
    for (int p = 0; p < 2; ++p) {
      __m512d a = two(r[0] + 4 * p, r[1] + 4 * p), b = two(r[2] + 4 * p, r[3] + 4 * p);
      v[2 * p][k] = _mm512_shuffle_f64x2(a, b, 0x88);
      v[2 * p + 1][k] = _mm512_shuffle_f64x2(a, b, 0xDD);
    }
    __m512d d = _mm512_castpd128_pd512(_mm_loadu_pd(r[0] + 8));
    d = _mm512_insertf64x2(d, _mm_loadu_pd(r[1] + 8), 1);
    d = _mm512_insertf64x2(d, _mm_loadu_pd(r[2] + 8), 2);
    v[4][k] = _mm512_insertf64x2(d, _mm_loadu_pd(r[3] + 8), 3);
  }
#pragma GCC unroll 5
  for (int p = 0; p < 5; ++p) {
    c[2 * p] = (F64)_mm512_unpacklo_pd(v[p][0], v[p][1]);
    c[2 * p + 1] = (F64)_mm512_unpackhi_pd(v[p][0], v[p][1]);
  }
}
#elif defined(__AVX2__)
static inline void turned(const float *t, const uint32_t *at, F32 (&c)[COLUMNS]) {
#pragma GCC unroll 3
  for (int p = 0; p < 3; ++p) {
    __m256 q[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      q[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(t + at[k] + 4 * p)),
                                  _mm_loadu_ps(t + at[k + 4] + 4 * p), 1);
    __m256 a = _mm256_unpacklo_ps(q[0], q[2]), b = _mm256_unpacklo_ps(q[1], q[3]);
    c[4 * p] = (F32)_mm256_unpacklo_ps(a, b), c[4 * p + 1] = (F32)_mm256_unpackhi_ps(a, b);
    if (4 * p + 2 >= COLUMNS) break;
    a = _mm256_unpackhi_ps(q[0], q[2]), b = _mm256_unpackhi_ps(q[1], q[3]);
    c[4 * p + 2] = (F32)_mm256_unpacklo_ps(a, b), c[4 * p + 3] = (F32)_mm256_unpackhi_ps(a, b);
  }
}
static inline void turned(const double *t, const uint32_t *at, F64 (&c)[COLUMNS]) {
#pragma GCC unroll 5
  for (int p = 0; p < 5; ++p) {
    __m256d q[2];
#pragma GCC unroll 2
    for (int k = 0; k < 2; ++k)
      q[k] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(t + at[k] + 2 * p)),
                                  _mm_loadu_pd(t + at[k + 2] + 2 * p), 1);
    c[2 * p] = (F64)_mm256_unpacklo_pd(q[0], q[1]), c[2 * p + 1] = (F64)_mm256_unpackhi_pd(q[0], q[1]);
  }
}
#else
template <class T> static inline void turned(const T *t, const uint32_t *at, Vector<T> (&c)[COLUMNS]) {
  for (int i = 0; i < COLUMNS; ++i)
    for (int l = 0; l < LANES<T>; ++l) c[i][l] = t[at[l] + unsigned(i)];
}
#endif

// Rows at random places, as columns in registers.
template <class T> static double row_rate(double seconds) {
  const std::vector<Vector<T>> table(size_t(ROWS) * WIDTH / LANES<T>, Vector<T>{} + T(1e-3));
  const T *t = (const T *)table.data();
  std::vector<uint32_t> at(1 << 11);  // twice as many would crowd the rows out of the nearest cache
  uint32_t x = 1;
  for (auto &a : at) x = x * 1664525u + 1013904223u, a = uint32_t((uint64_t(x) * ROWS) >> 32) * WIDTH;
  return rate(seconds, double(at.size()), [&] {
    for (size_t k = 0; k < at.size(); k += LANES<T>) {
      Vector<T> c[COLUMNS];
      turned(t, &at[k], c);
#pragma GCC unroll 10
      for (int i = 0; i < COLUMNS; ++i) use(c[i]);
    }
  });
}

template <class T, class I> static inline Vector<T> sigmoid(Vector<T> t) {  // 1 / (1 + exp(t))
  constexpr int MANTISSA = sizeof(T) == 4 ? 23 : 52;
  constexpr T MAGIC = sizeof(T) == 4 ? T(12583039) : T(6755399441056767), LOG2 = T(0.6931471805599453);
  constexpr T END = sizeof(T) == 4 ? T(87) : T(708);
  t = t > END ? Vector<T>{} + END : t;
  t = t < -END ? Vector<T>{} - END : t;
  Vector<T> shifted = t * T(1.4426950408889634) + MAGIC, x = t - (shifted - MAGIC) * LOG2, p;
  if constexpr (sizeof(T) == 4) p = polynomial(EXP32, x); else p = polynomial(EXP64, x);
  p = p * (x * x) + (x + T(1));
  return T(1) / (p * (Vector<T>)((I)shifted << MANTISSA) + T(1));
}

template <class T, class I> static double sigmoid_rate(double seconds) {
  constexpr int STORE = 64;
  Vector<T> xs[STORE];
  for (int i = 0; i < STORE; ++i)
    for (int l = 0; l < LANES<T>; ++l) xs[i][l] = T(i - 32) + T(0.1) * T(l);
  return rate(seconds, 1e4 * LANES<T>, [&] {
    Vector<T> all{};
    for (int k = 0; k < 10000; ++k) all += sigmoid<T, I>(xs[k % STORE]);
    sink = total(all);
  });
}

// ---- memory ----------------------------------------------------------------------------------------------

static double triad_rate(double seconds) {  // bytes
  const size_t n = 4u << 20;
  std::vector<double> a(n), b(n, 1.0), c(n, 2.0);
  return rate(seconds, 24.0 * double(n), [&] {
    for (size_t i = 0; i < n; ++i) a[i] = b[i] + 0.5 * c[i];
    asm volatile("" ::: "memory");
    sink = a[n / 2];
  });
}

// ---- what was computed -----------------------------------------------------------------------------------

template <class T> static void print_moments(const char *name) {  // of normals from the generator's words
  double n = 0, one = 0, two = 0, four = 0, cross = 0;
  for (uint64_t turn = 0; turn < 20000; ++turn) {
    Words c[2];
    counters(c, turn);
    philox(c, 3, 5);
    Vector<T> z[2];
    if constexpr (sizeof(T) == 4)
      transform((U32)((c[0].w[0] & 0xFFFFFFFFull) | c[1].w[0] << 32),
                (U32)((c[0].w[1] & 0xFFFFFFFFull) | c[1].w[1] << 32), z);
    else
      transform(c[0].w[0] << 32 | (c[0].w[1] & 0xFFFFFFFFull), c[0].w[2] << 32 | (c[0].w[3] & 0xFFFFFFFFull), z);
    for (int l = 0; l < LANES<T>; ++l) {
      double a = double(z[0][l]), b = double(z[1][l]);
      n += 2, one += a + b, two += a * a + b * b, four += a * a * a * a + b * b * b * b, cross += a * b;
    }
  }
  printf(", \"%s\": [%.17g, %.17g, %.17g, %.17g, %.17g]", name, n, one / n, two / n, four / n, 2 * cross / n);
}

static void print_checks() {
  Words c[1] = {};
  philox(c, 0, 0);
  printf("\"checks\": {\"philox\": [%u, %u, %u, %u]", unsigned(c[0].w[0][0]), unsigned(c[0].w[1][0]),
         unsigned(c[0].w[2][0]), unsigned(c[0].w[3][0]));
  print_moments<float>("normals_f32");
  print_moments<double>("normals_f64");
  std::vector<float> table(WIDTH * LANES<float>);
  uint32_t at[LANES<float>];
  for (size_t k = 0; k < table.size(); ++k) table[k] = float(100 * (k / WIDTH) + k % WIDTH);
  for (int l = 0; l < LANES<float>; ++l) at[l] = unsigned(l * WIDTH);
  F32 columns[COLUMNS], x{};
  turned(table.data(), at, columns);
  for (int l = 0; l < 4; ++l) x[l] = float(l - 1);
  F32 y = sigmoid<float, I32>(x);
  printf(", \"columns\": [");
  for (int i = 0; i < COLUMNS; ++i)
    for (int l = 0; l < LANES<float>; ++l) printf("%s%.9g", i + l ? ", " : "", double(columns[i][l]));
  printf("]");
  printf(", \"sigmoid\": [%.9g, %.9g, %.9g, %.9g]}", double(y[0]), double(y[1]), double(y[2]), double(y[3]));
}

int main(int count, char **arguments) {
  double s = count > 1 ? atof(arguments[1]) : 0.1;
  printf("{\"vector_bytes\": %d, ", BYTES);
  print_checks();
  auto put = [](const char *name, double value) { printf(", \"%s\": %.6g", name, value); };
  put("clock_hz", clock_rate(s));
  put("fma_f32", fma_rate<float>(s));
  put("fma_f64", fma_rate<double>(s));
  put("words", philox_rate(s));
  put("box_muller_f32", transform_rate<float, U32>(s));
  put("box_muller_f64", transform_rate<double, U64>(s));
  put("rows_f32", row_rate<float>(s));
  put("rows_f64", row_rate<double>(s));
  put("sigmoids_f32", sigmoid_rate<float, I32>(s));
  put("sigmoids_f64", sigmoid_rate<double, I64>(s));
  put("triad_bytes", triad_rate(s));
  printf("}\n");
}
