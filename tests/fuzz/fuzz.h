/* What the fuzz targets share. */
#ifndef IRENEO_TESTS_FUZZ_FUZZ_H
#define IRENEO_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* The path of a file in RAM with these bytes, for readers that take paths; `slot` 0 to 3 tells files apart. */
static inline const char *fuzz_file(int slot, const uint8_t *bytes, size_t count) {
    static int descriptors[4] = {-1, -1, -1, -1};
    static char paths[4][64];
    if (descriptors[slot] < 0) {
        descriptors[slot] = memfd_create("fuzz", MFD_CLOEXEC);
        if (descriptors[slot] < 0) abort();
        snprintf(paths[slot], sizeof paths[slot], "/proc/self/fd/%d", descriptors[slot]);
    }
    if (ftruncate(descriptors[slot], 0) != 0) abort();
    if (pwrite(descriptors[slot], bytes, count, 0) != (ssize_t)count) abort();
    return paths[slot];
}

#endif
