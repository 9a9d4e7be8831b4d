/* Which kernel belongs to which path. */
#include "linear/kernels/int16_kernel.h"

ireneo_int16_kernel ireneo_int16_kernel_of(ireneo_processor_path path) {
    switch (path) {
    case IRENEO_PROCESSOR_PORTABLE:
        return ireneo_int16_portable;
#if defined(__x86_64__) && defined(__GNUC__)
    case IRENEO_PROCESSOR_AVX2:
    case IRENEO_PROCESSOR_AVXVNNI:
    case IRENEO_PROCESSOR_AVX512:
        return ireneo_int16_avx2;
    case IRENEO_PROCESSOR_AVX512VNNI:
        return ireneo_int16_avx512vnni;
#endif
    default:
        return ireneo_int16_portable;
    }
}

bool ireneo_int16_kernel_pays(ireneo_processor_path path) {
    return path == IRENEO_PROCESSOR_AVX2 || path == IRENEO_PROCESSOR_AVXVNNI ||
           path == IRENEO_PROCESSOR_AVX512VNNI;
}
