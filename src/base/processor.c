/* The processor's best path, or the lower one that the environment asks for. */
#include "base/processor.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS(feature) (__builtin_cpu_supports(feature) != 0)
#else
#define HAS(feature) false
#endif

static const char *const names[] = {
    [IRENEO_PROCESSOR_PORTABLE] = "portable",
    [IRENEO_PROCESSOR_AVX2] = "avx2",
    [IRENEO_PROCESSOR_AVX512] = "avx512",
    [IRENEO_PROCESSOR_AVX512VNNI] = "avx512vnni",
};
enum { PATHS = sizeof names / sizeof names[0] };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static ireneo_processor_path best, used;
static bool known, possible;

static ireneo_processor_path find_best(void) {
    if (!HAS("avx2") || !HAS("fma")) return IRENEO_PROCESSOR_PORTABLE;
    if (!HAS("avx512f") || !HAS("avx512vl")) return IRENEO_PROCESSOR_AVX2;
    return HAS("avx512vnni") && HAS("avx512bw") ? IRENEO_PROCESSOR_AVX512VNNI : IRENEO_PROCESSOR_AVX512;
}

static void choose(void) {
    const char *asked = getenv("IRENEO_PROCESSOR");
    best = used = find_best();
    known = possible = asked == NULL || *asked == '\0';
    for (int path = 0; path < PATHS && !known; path++) {
        if (strcmp(asked, names[path]) != 0) continue;
        known = true;
        possible = (ireneo_processor_path)path <= best;
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
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "IRENEO_PROCESSOR in the environment is none of portable, avx2, avx512, avx512vnni");
    if (!possible)
        return ireneo_fail(
            IRENEO_ERROR_ARGUMENT,
            "IRENEO_PROCESSOR in the environment asks for more than this processor has, which is %s",
            names[best]);
    return IRENEO_OK;
}
