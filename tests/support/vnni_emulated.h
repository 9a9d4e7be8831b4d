/* vpdpbusd by instructions that every processor with AVX2 has, for tests of the AVX-VNNI kernel where there is none:
 * bytes are widened to sixteen bits before they are multiplied, so that nothing can saturate. Its meaning is that of the
 * processor's manual, written down a second time; that the instruction itself does this only such a processor can show. */
#ifndef IRENEO_TESTS_VNNI_EMULATED_H
#define IRENEO_TESTS_VNNI_EMULATED_H

#include <immintrin.h>

__attribute__((target("avx2"))) static inline __m256i emulated_dpbusd(__m256i sums, __m256i values,
                                                                      __m256i row) {
    __m256i low = _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm256_castsi256_si128(values)),
                                    _mm256_cvtepi8_epi16(_mm256_castsi256_si128(row)));
    __m256i high = _mm256_madd_epi16(_mm256_cvtepu8_epi16(_mm256_extracti128_si256(values, 1)),
                                     _mm256_cvtepi8_epi16(_mm256_extracti128_si256(row, 1)));
    __m256i pairs = _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xd8);
    return _mm256_add_epi32(sums, pairs);
}

#endif
