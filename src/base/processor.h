/* Which vector instructions are used: the one place that asks. Not every x86-64 processor has them; kernels written for
 * them are chosen when the program runs. IRENEO_PROCESSOR=NAME in the environment asks for a lower path than the
 * processor's best, so that every path can be tried on one machine. It does not reach what BLAS chooses for itself, nor
 * the loops of base/vectorised.h. */
#ifndef IRENEO_BASE_PROCESSOR_H
#define IRENEO_BASE_PROCESSOR_H

#include "base/error.h"

#include <stdbool.h>

/* What a path uses. On one kind of processor the later ones are the faster ones. */
typedef enum ireneo_processor_path {
    IRENEO_PROCESSOR_PORTABLE,
    IRENEO_PROCESSOR_AVX2,       /* x86: vectors of 256 bits with fused multiply-add */
    IRENEO_PROCESSOR_AVX512,     /* vectors of 512 bits, and their masks on shorter ones */
    IRENEO_PROCESSOR_AVXVNNI,    /* AVX2, and integer inner products on vectors of 256 bits */
    IRENEO_PROCESSOR_AVX512VNNI, /* AVX512, and integer inner products on its vectors */
    IRENEO_PROCESSOR_NEON,       /* ARM: vectors of 128 bits */
    IRENEO_PROCESSOR_SDOT,       /* NEON, and integer inner products */
    IRENEO_PROCESSOR_PATHS       /* how many there are */
} ireneo_processor_path;

/* The path in use; the environment is read once. A name that is unknown or too high counts as none here. */
ireneo_processor_path ireneo_processor(void);

/* "portable", "avx2", "avx512", "avxvnni", "avx512vnni", "neon", "sdot" */
const char *ireneo_processor_name(ireneo_processor_path path);

/* Can this processor take the path? */
bool ireneo_processor_can(ireneo_processor_path path);

/* Refuses an IRENEO_PROCESSOR that is unknown, or that this processor does not have. */
ireneo_error ireneo_processor_check(void);

/* Vectors of floats that the path in use allows. */
static inline bool ireneo_has_avx2(void) {
    ireneo_processor_path path = ireneo_processor();
    return path >= IRENEO_PROCESSOR_AVX2 && path <= IRENEO_PROCESSOR_AVX512VNNI;
}

static inline bool ireneo_has_avx512(void) {
    ireneo_processor_path path = ireneo_processor();
    return path == IRENEO_PROCESSOR_AVX512 || path == IRENEO_PROCESSOR_AVX512VNNI;
}

#endif
