/* Hashes of 64-bit words with the constants of splitmix64 (Steele, Lea and Flood 2014). Not against anybody
 * who wants two files to hash alike: against chance only. */
#ifndef IRENEO_BASE_HASH_H
#define IRENEO_BASE_HASH_H

#include <stdint.h>

#define IRENEO_GOLDEN_RATIO 0x9e3779b97f4a7c15u /* 2^64 over the golden ratio, odd: steps that never repeat */

/* One more word: multiply, then fold the upper bits onto the lower ones. Files hold hashes made with shifts
 * of 29 and of 31, so the shift is the caller's. */
static inline uint64_t ireneo_hash_word(uint64_t state, uint64_t word, int shift) {
    state = (state ^ word) * 0xbf58476d1ce4e5b9u;
    return state ^ (state >> shift);
}

/* The finaliser: numbers that differ in one bit come out different in about half of their bits. */
static inline uint64_t ireneo_hash_number(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
