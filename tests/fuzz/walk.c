/* Fuzzing without libFuzzer: NAME ROUNDS FOLDER damages the files of a corpus by a fixed random walk, so that a
 * failure comes back at every run. Linked with one target when the library is not built for libFuzzer. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 14, MOST_SEEDS = 256 };

typedef struct fuzz_seed {
    unsigned char *bytes;
    size_t count;
} fuzz_seed;

/* xorshift64*: small and the same everywhere. */
static uint64_t draw(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

/* One damage: flip a bit, set a telling byte, copy a piece elsewhere, remove a piece, or cut the end. */
static size_t damage(unsigned char *bytes, size_t count, uint64_t *state) {
    static const unsigned char telling[] = {0,   1,   0xff, 0x7f, 0x80, '{',  '}', '[', ']', '(',
                                            ')', ',', ':',  '"',  '\'', '\\', '-', '9', ' '};
    if (count == 0) return 0;
    size_t at = draw(state) % count, from = draw(state) % count, length = draw(state) % 16;
    if (length > count - at) length = count - at;
    switch (draw(state) % 6) {
    case 0:
        bytes[at] ^= (unsigned char)(1u << draw(state) % 8);
        return count;
    case 1:
        bytes[at] = telling[draw(state) % sizeof telling];
        return count;
    case 2:
        bytes[at] = (unsigned char)('0' + draw(state) % 10);
        return count;
    case 3:
        if (length > count - from) length = count - from;
        if (count + length > LARGEST) return count;
        memmove(bytes + at + length, bytes + at, count - at);
        memmove(bytes + at, bytes + from, length);
        return count + length;
    case 4:
        memmove(bytes + at, bytes + at + length, count - at - length);
        return count - length;
    default:
        return draw(state) % 8 == 0 ? at : count;
    }
}

static int read_seed(const char *folder, const char *name, fuzz_seed *seed) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rbe");
    if (file == NULL) return 0;
    seed->bytes = malloc(LARGEST);
    if (seed->bytes != NULL) seed->count = fread(seed->bytes, 1, LARGEST, file);
    fclose(file);
    return seed->bytes != NULL;
}

static int by_content(const void *a, const void *b) {
    const fuzz_seed *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    return memcmp(x->bytes, y->bytes, x->count);
}

/* In an order that does not depend on the file system. */
static size_t read_corpus(const char *folder, fuzz_seed *seeds) {
    size_t found = 0;
    DIR *directory = opendir(folder);
    for (struct dirent *item; directory != NULL && (item = readdir(directory)) != NULL;)
        if (item->d_name[0] != '.' && found < MOST_SEEDS)
            found += (size_t)read_seed(folder, item->d_name, &seeds[found]);
    if (directory != NULL) closedir(directory);
    qsort(seeds, found, sizeof *seeds, by_content);
    return found;
}

/* Each input lies in a block of its exact size, so that the sanitizer sees every step beyond. */
static void offer(const unsigned char *bytes, size_t count) {
    unsigned char *input = malloc(count > 0 ? count : 1);
    if (input == NULL) exit(4);
    memcpy(input, bytes, count);
    LLVMFuzzerTestOneInput(input, count);
    free(input);
}

int main(int argc, char **argv) {
    static unsigned char bytes[LARGEST + 16];
    static fuzz_seed seeds[MOST_SEEDS];
    if (argc != 3) return fprintf(stderr, "usage: %s ROUNDS CORPUS\n", argv[0]), 2;
    size_t rounds = strtoull(argv[1], NULL, 10), found = read_corpus(argv[2], seeds);
    uint64_t state = 0x9e3779b97f4a7c15ull;
    if (found == 0) return fprintf(stderr, "no corpus in %s\n", argv[2]), 2;
    for (size_t round = 0; round < rounds; round++) {
        const fuzz_seed *seed = &seeds[round % found];
        size_t count = seed->count, damages = round < found ? 0 : 1 + draw(&state) % 6;
        memcpy(bytes, seed->bytes, count);
        while (damages-- > 0) count = damage(bytes, count, &state);
        offer(bytes, count);
    }
    fprintf(stderr, "%zu inputs from %zu seeds\n", rounds, found);
    for (size_t k = 0; k < found; k++) free(seeds[k].bytes);
    return 0;
}
