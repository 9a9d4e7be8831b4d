/* Which vector instructions this processor has: the one place that asks. Not every x86-64 processor has them;
 * kernels written for them are chosen when the program runs. */
#ifndef IRENEO_BASE_PROCESSOR_H
#define IRENEO_BASE_PROCESSOR_H

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define IRENEO_PROCESSOR_HAS(feature) (__builtin_cpu_supports(feature) != 0)
#else
#define IRENEO_PROCESSOR_HAS(feature) false
#endif

/* Vectors of 256 bits with fused multiply-add. */
static inline bool ireneo_has_avx2(void) {
    return IRENEO_PROCESSOR_HAS("avx2") && IRENEO_PROCESSOR_HAS("fma");
}

/* Vectors of 512 bits, and their masks on shorter ones. */
static inline bool ireneo_has_avx512(void) {
    return IRENEO_PROCESSOR_HAS("avx512f") && IRENEO_PROCESSOR_HAS("avx512vl");
}

/* Integer inner products on 512-bit vectors. */
static inline bool ireneo_has_vnni(void) {
    return IRENEO_PROCESSOR_HAS("avx512vnni") && IRENEO_PROCESSOR_HAS("avx512bw") &&
           IRENEO_PROCESSOR_HAS("avx512vl");
}

#endif
