// Lets a C++ compiler build a CUDA kernel's text for the processor: a launch runs its threads in turn.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(threads)

struct Index { unsigned x; };
static thread_local Index threadIdx, blockIdx, blockDim;

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline double __dsqrt_rn(double a) { return std::sqrt(a); }
static inline float __uint2float_rn(unsigned a) { return (float)a; }

template <class To, class From> static inline To same_bits(From a) {
  static_assert(sizeof(To) == sizeof(From), "a bit pattern keeps its size");
  To b;
  std::memcpy(&b, &a, sizeof b);
  return b;
}
static inline int __float_as_int(float a) { return same_bits<int>(a); }
static inline float __int_as_float(int a) { return same_bits<float>(a); }
static inline long long __double_as_longlong(double a) { return same_bits<long long>(a); }
static inline double __longlong_as_double(long long a) { return same_bits<double>(a); }

#define LAUNCH(kernel, threads, ...)                                     \
  do {                                                                   \
    blockDim.x = 128;                                                    \
    for (long long n = 0; n < ((threads) + 127) / 128 * 128; ++n) {      \
      blockIdx.x = (unsigned)(n / 128);                                  \
      threadIdx.x = (unsigned)(n % 128);                                 \
      kernel(__VA_ARGS__);                                               \
    }                                                                    \
  } while (0)
