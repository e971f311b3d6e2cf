#pragma once
#include <sys/cdefs.h>
#define HUGE_VAL      __builtin_huge_val()
#define HUGE_VALF     __builtin_huge_valf()
#define HUGE_VALL     __builtin_huge_vall()
#define INFINITY      __builtin_inff()
#define NAN           __builtin_nanf("")
#define M_PI          3.14159265358979323846
#define FP_NAN        1
#define FP_INFINITE   2
#define FP_ZERO       3
#define FP_NORMAL     4
#define FP_SUBNORMAL  5
#define FP_ILOGB0     (-2147483647 - 1)
#define FP_ILOGBNAN   (-2147483647 - 1)
#define isnan(x)      __builtin_isnan(x)
#define isinf(x)      __builtin_isinf(x)
#define isfinite(x)   __builtin_isfinite(x)
#define isnormal(x)   __builtin_isnormal(x)
#define signbit(x)    __builtin_signbit(x)
#define fpclassify(x) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, x)
typedef float float_t;
typedef double double_t;

/* Each for the three types. */
#define LOUPE_SDK_1(name)                                                                          \
    float name##f(float);                                                                          \
    double name(double);                                                                           \
    long double name##l(long double);
#define LOUPE_SDK_2(name)                                                                          \
    float name##f(float, float);                                                                   \
    double name(double, double);                                                                   \
    long double name##l(long double, long double);
#define LOUPE_SDK_TO(type, name)                                                                   \
    type name##f(float);                                                                           \
    type name(double);                                                                             \
    type name##l(long double);
#define LOUPE_SDK_BY(name, type)                                                                   \
    float name##f(float, type);                                                                    \
    double name(double, type);                                                                     \
    long double name##l(long double, type);

__BEGIN_DECLS
LOUPE_SDK_1(acos)
LOUPE_SDK_1(acosh)
LOUPE_SDK_1(asin)
LOUPE_SDK_1(asinh)
LOUPE_SDK_1(atan)
LOUPE_SDK_1(atanh)
LOUPE_SDK_1(cbrt)
LOUPE_SDK_1(ceil)
LOUPE_SDK_1(cos)
LOUPE_SDK_1(cosh)
LOUPE_SDK_1(erf)
LOUPE_SDK_1(erfc)
LOUPE_SDK_1(exp)
LOUPE_SDK_1(exp2)
LOUPE_SDK_1(expm1)
LOUPE_SDK_1(fabs)
LOUPE_SDK_1(floor)
LOUPE_SDK_1(lgamma)
LOUPE_SDK_1(log)
LOUPE_SDK_1(log10)
LOUPE_SDK_1(log1p)
LOUPE_SDK_1(log2)
LOUPE_SDK_1(logb)
LOUPE_SDK_1(nearbyint)
LOUPE_SDK_1(rint)
LOUPE_SDK_1(round)
LOUPE_SDK_1(sin)
LOUPE_SDK_1(sinh)
LOUPE_SDK_1(sqrt)
LOUPE_SDK_1(tan)
LOUPE_SDK_1(tanh)
LOUPE_SDK_1(tgamma)
LOUPE_SDK_1(trunc)
LOUPE_SDK_2(atan2)
LOUPE_SDK_2(copysign)
LOUPE_SDK_2(fdim)
LOUPE_SDK_2(fmax)
LOUPE_SDK_2(fmin)
LOUPE_SDK_2(fmod)
LOUPE_SDK_2(hypot)
LOUPE_SDK_2(nextafter)
LOUPE_SDK_2(pow)
LOUPE_SDK_2(remainder)
LOUPE_SDK_TO(int, ilogb)
LOUPE_SDK_TO(long, lrint)
LOUPE_SDK_TO(long, lround)
LOUPE_SDK_TO(long long, llrint)
LOUPE_SDK_TO(long long, llround)
LOUPE_SDK_BY(frexp, int *)
LOUPE_SDK_BY(ldexp, int)
LOUPE_SDK_BY(scalbn, int)
LOUPE_SDK_BY(scalbln, long)
LOUPE_SDK_BY(nexttoward, long double)
float modff(float, float *);
double modf(double, double *);
long double modfl(long double, long double *);
float remquof(float, float, int *);
double remquo(double, double, int *);
long double remquol(long double, long double, int *);
float fmaf(float, float, float);
double fma(double, double, double);
long double fmal(long double, long double, long double);
float nanf(const char *);
double nan(const char *);
long double nanl(const char *);
__END_DECLS
#undef LOUPE_SDK_1
#undef LOUPE_SDK_2
#undef LOUPE_SDK_TO
#undef LOUPE_SDK_BY
