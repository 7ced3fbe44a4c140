// Lets a C++ compiler build a CUDA kernel's text for the processor: a launch runs its threads in turn.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct Index { unsigned x; };
static thread_local Index threadIdx, blockIdx, blockDim;

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline unsigned long long atomicAdd(unsigned long long *a, unsigned long long b) { return (*a += b) - b; }
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
static inline int __double2hiint(double a) { return (int)(same_bits<long long>(a) >> 32); }
static inline int __double2loint(double a) { return (int)same_bits<long long>(a); }
static inline double __hiloint2double(int high, int low) {
  return same_bits<double>((long long)high << 32 | (long long)(unsigned)low);
}

// The approximate instructions, as wrong as NVIDIA says that they may be: each result is off by
// `misled` times the documented error, which a test sets.
extern "C" { double misled = 0.0; }
static inline float off_by(double y, double error) { return (float)(y + misled * error); }
static inline float inverse_root(float a) {
  double y = 1.0 / std::sqrt((double)a);
  return off_by(y, y * 0x1p-23);
}
static inline double high_half(double a) { return __hiloint2double(__double2hiint(a), 0); }
static inline double inverse_root(double a) { return high_half((1.0 + misled * 0x1p-20) / std::sqrt(high_half(a))); }
static inline double inverse(double a) { return high_half((1.0 + misled * 0x1p-20) / high_half(a)); }
static inline float quick_log2(float a) {
  double y = std::log2((double)a), slack = std::exp2(std::floor(std::log2(std::fabs(y) * 0.6931)) - 23.0);
  return off_by(y, (a >= 0.5f ? std::exp2(-21.41) : 3.0 * slack) / 0.6931471805599453);
}
static inline float quick_root(float a) {
  double y = std::sqrt((double)a);
  return off_by(y, y * 0x1p-23);
}
static inline float quick_sine(float a) { return off_by(std::sin((double)a), std::exp2(-21.41)); }
static inline float quick_cosine(float a) { return off_by(std::cos((double)a), std::exp2(-21.19)); }

#define LAUNCH(kernel, threads, ...)                                                       \
  do {                                                                                     \
    blockDim.x = 128;                                                                      \
    for (long long shim_n = 0; shim_n < ((threads) + 127) / 128 * 128; ++shim_n) {         \
      blockIdx.x = (unsigned)(shim_n / 128);                                               \
      threadIdx.x = (unsigned)(shim_n % 128);                                              \
      kernel(__VA_ARGS__);                                                                 \
    }                                                                                      \
  } while (0)
