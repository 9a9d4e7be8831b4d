/* Fuzzing without libFuzzer: seeds are damaged by a fixed random walk, so that a failure comes back at every
 * run. Include after defining LLVMFuzzerTestOneInput. */
#ifndef IRENEO_TESTS_FUZZ_WALK_H
#define IRENEO_TESTS_FUZZ_WALK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fuzz_seed {
    const char *bytes;
    size_t count;
} fuzz_seed;

#define FUZZ_SEED(text)                                                                                      \
    { text, sizeof(text) - 1 }

/* xorshift64*: small and the same everywhere. */
static inline uint64_t fuzz_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

/* One damage: flip a bit, set a telling byte, copy a piece elsewhere, remove a piece, or cut the end. */
static inline size_t fuzz_damage(unsigned char *bytes, size_t count, size_t capacity, uint64_t *state) {
    static const unsigned char telling[] = {0,   1,   0xff, 0x7f, 0x80, '{',  '}', '[', ']', '(',
                                            ')', ',', ':',  '"',  '\'', '\\', '-', '9', ' '};
    if (count == 0) return 0;
    size_t at = fuzz_random(state) % count, from = fuzz_random(state) % count,
           length = fuzz_random(state) % 16;
    if (length > count - at) length = count - at;
    switch (fuzz_random(state) % 6) {
    case 0:
        bytes[at] ^= (unsigned char)(1u << fuzz_random(state) % 8);
        return count;
    case 1:
        bytes[at] = telling[fuzz_random(state) % sizeof telling];
        return count;
    case 2:
        bytes[at] = (unsigned char)('0' + fuzz_random(state) % 10);
        return count;
    case 3:
        if (length > count - from) length = count - from;
        if (count + length > capacity) return count;
        memmove(bytes + at + length, bytes + at, count - at);
        memmove(bytes + at, bytes + from, length);
        return count + length;
    case 4:
        memmove(bytes + at, bytes + at + length, count - at - length);
        return count - length;
    default:
        return fuzz_random(state) % 8 == 0 ? at : count;
    }
}

/* argv[1] is the number of inputs; each lies in a block of its exact size, so that the sanitizer sees every
 * step beyond. */
static inline int fuzz_walk(int argc, char **argv, const fuzz_seed *seeds, size_t seed_count) {
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 10000;
    uint64_t state = 0x9e3779b97f4a7c15ull;
    unsigned char bytes[4096];
    for (long round = 0; round < rounds; round++) {
        const fuzz_seed *seed = &seeds[(size_t)round % seed_count];
        size_t count = seed->count, damages = (size_t)round < seed_count ? 0 : 1 + fuzz_random(&state) % 6;
        memcpy(bytes, seed->bytes, count);
        while (damages-- > 0) count = fuzz_damage(bytes, count, sizeof bytes, &state);
        unsigned char *input = malloc(count > 0 ? count : 1);
        if (input == NULL) return 1;
        memcpy(input, bytes, count);
        LLVMFuzzerTestOneInput(input, count);
        free(input);
    }
    printf("%ld inputs\n", rounds);
    return 0;
}

#endif
