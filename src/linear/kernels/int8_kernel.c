/* Which kernel belongs to which path. */
#include "linear/kernels/int8_kernel.h"

const ireneo_int8_kernel *ireneo_int8_kernel_of(ireneo_processor_path path) {
    switch (path) {
    case IRENEO_PROCESSOR_PORTABLE:
        return &ireneo_int8_portable;
#if defined(__x86_64__) && defined(__GNUC__)
    case IRENEO_PROCESSOR_AVX2:
        return &ireneo_int8_avx2;
    case IRENEO_PROCESSOR_AVXVNNI:
        return &ireneo_int8_avxvnni;
    case IRENEO_PROCESSOR_AVX512:
        return &ireneo_int8_avx512;
    case IRENEO_PROCESSOR_AVX512VNNI:
        return &ireneo_int8_avx512vnni;
#elif defined(__aarch64__) && defined(__GNUC__)
    case IRENEO_PROCESSOR_NEON:
        return &ireneo_int8_neon;
    case IRENEO_PROCESSOR_SDOT:
        return &ireneo_int8_sdot;
#endif
    default:
        return NULL;
    }
}
