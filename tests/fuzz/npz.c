/* Archives against arbitrary bytes. libzip reads files only, so each input is written to one in RAM. */
#include "base/array.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void try_location(const char *location) {
    ireneo_array array;
    float *matrix = NULL;
    size_t n = 0, d = 0;
    if (ireneo_array_open(location, &array) == IRENEO_OK && array.count > 0 && array.data == NULL) abort();
    ireneo_array_close(&array);
    if (ireneo_load_matrix(location, &matrix, &n, &d) == IRENEO_OK && n * d == 0) abort();
    ireneo_free(matrix);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    char path[64], named[80];
    int descriptor = memfd_create("fuzz.npz", 0);
    if (descriptor < 0) return 0;
    if (write(descriptor, bytes, count) == (ssize_t)count) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        snprintf(named, sizeof named, "%s:x", path);
        try_location(path);
        try_location(named);
    }
    close(descriptor);
    return 0;
}
