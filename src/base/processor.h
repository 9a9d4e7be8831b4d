/* What the processor can do beyond what every one of its kind can. */
#ifndef IRENEO_BASE_PROCESSOR_H
#define IRENEO_BASE_PROCESSOR_H

#include <stdbool.h>

/* Integer inner products on 512-bit vectors. */
static inline bool ireneo_has_vnni(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

#endif
