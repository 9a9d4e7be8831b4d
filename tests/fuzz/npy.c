/* The .npy reader and the conversions against arbitrary bytes: nothing may be read outside them, and an array
 * that is accepted must lie inside them. */
#include "base/npy.h"

#include "fuzz.h"
#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    ireneo_layout layout;
    if (ireneo_npy_parse("fuzz.npy", bytes, count, count, &layout) == IRENEO_OK)
        read_all(&layout, bytes, count);
    return 0;
}
