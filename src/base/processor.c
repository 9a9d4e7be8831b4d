/* The processor's best path, or the lower one that the environment asks for. */
#include "base/processor.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [IRENEO_PROCESSOR_PORTABLE] = "portable",
    [IRENEO_PROCESSOR_AVX2] = "avx2",
    [IRENEO_PROCESSOR_AVX512] = "avx512",
    [IRENEO_PROCESSOR_AVXVNNI] = "avxvnni",
    [IRENEO_PROCESSOR_AVX512VNNI] = "avx512vnni",
    [IRENEO_PROCESSOR_NEON] = "neon",
    [IRENEO_PROCESSOR_SDOT] = "sdot",
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static ireneo_processor_path best, used;
static bool known, possible;

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

#define HAS(feature) (__builtin_cpu_supports(feature) != 0)

/* Leaf 7.1, EAX bit 4; not every compiler knows its name. */
static bool has_avxvnni(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a >> 4 & 1u) != 0;
}

bool ireneo_processor_can(ireneo_processor_path path) {
    bool avx2 = HAS("avx2") && HAS("fma"),
         avx512 = avx2 && HAS("avx512f") && HAS("avx512vl") && HAS("avx512bw");
    switch (path) {
    case IRENEO_PROCESSOR_PORTABLE:
        return true;
    case IRENEO_PROCESSOR_AVX2:
        return avx2;
    case IRENEO_PROCESSOR_AVX512:
        return avx512;
    case IRENEO_PROCESSOR_AVXVNNI:
        return avx2 && has_avxvnni();
    case IRENEO_PROCESSOR_AVX512VNNI:
        return avx512 && HAS("avx512vnni");
    default:
        return false;
    }
}
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

bool ireneo_processor_can(ireneo_processor_path path) {
    if (path == IRENEO_PROCESSOR_SDOT) return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
    return path == IRENEO_PROCESSOR_PORTABLE || path == IRENEO_PROCESSOR_NEON;
}
#else
bool ireneo_processor_can(ireneo_processor_path path) {
    return path == IRENEO_PROCESSOR_PORTABLE;
}
#endif

static void choose(void) {
    const char *asked = getenv("IRENEO_PROCESSOR");
    for (int path = 0; path < IRENEO_PROCESSOR_PATHS; path++)
        if (ireneo_processor_can((ireneo_processor_path)path)) best = (ireneo_processor_path)path;
    used = best;
    known = possible = asked == NULL || *asked == '\0';
    for (int path = 0; path < IRENEO_PROCESSOR_PATHS && !known; path++) {
        if (strcmp(asked, names[path]) != 0) continue;
        known = true;
        possible = ireneo_processor_can((ireneo_processor_path)path);
        if (possible) used = (ireneo_processor_path)path;
    }
}

ireneo_processor_path ireneo_processor(void) {
    pthread_once(&once, choose);
    return used;
}

const char *ireneo_processor_name(ireneo_processor_path path) {
    return names[path];
}

ireneo_error ireneo_processor_check(void) {
    pthread_once(&once, choose);
    if (!known)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "IRENEO_PROCESSOR in the environment is none of portable, avx2, "
                           "avx512, avxvnni, avx512vnni, neon, sdot");
    if (!possible)
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "IRENEO_PROCESSOR in the environment asks for more than this processor has, whose best is %s",
            names[best]);
    return IRENEO_OK;
}
