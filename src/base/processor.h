/* Which vector instructions are used: the one place that asks. Not every x86-64 processor has them; kernels written for
 * them are chosen when the program runs. IRENEO_PROCESSOR=NAME in the environment asks for a lower path than the
 * processor's best, so that every path can be tried on one machine. */
#ifndef IRENEO_BASE_PROCESSOR_H
#define IRENEO_BASE_PROCESSOR_H

#include "base/error.h"

#include <stdbool.h>

/* Each has all that the ones before it have. */
typedef enum ireneo_processor_path {
    IRENEO_PROCESSOR_PORTABLE,
    IRENEO_PROCESSOR_AVX2,      /* vectors of 256 bits with fused multiply-add */
    IRENEO_PROCESSOR_AVX512,    /* vectors of 512 bits, and their masks on shorter ones */
    IRENEO_PROCESSOR_AVX512VNNI /* integer inner products on them */
} ireneo_processor_path;

/* The path in use; the environment is read once. A name that is unknown or too high counts as none here. */
ireneo_processor_path ireneo_processor(void);

/* "portable", "avx2", "avx512", "avx512vnni" */
const char *ireneo_processor_name(ireneo_processor_path path);

/* Refuses an IRENEO_PROCESSOR that is unknown, or that this processor does not have. */
ireneo_error ireneo_processor_check(void);

static inline bool ireneo_has_avx2(void) {
    return ireneo_processor() >= IRENEO_PROCESSOR_AVX2;
}

static inline bool ireneo_has_avx512(void) {
    return ireneo_processor() >= IRENEO_PROCESSOR_AVX512;
}

static inline bool ireneo_has_vnni(void) {
    return ireneo_processor() >= IRENEO_PROCESSOR_AVX512VNNI;
}

#endif
