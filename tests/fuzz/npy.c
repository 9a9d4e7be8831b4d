/* The .npy reader and the conversions against arbitrary bytes: nothing may be read outside them, and an array
 * that is accepted must lie inside them. */
#include "base/npy.h"

#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    ireneo_layout layout;
    if (ireneo_npy_parse("fuzz.npy", bytes, count, count, &layout) == IRENEO_OK)
        read_all(&layout, bytes, count);
    return 0;
}

#ifdef IRENEO_FUZZ_STANDALONE
#include "walk.h"

int main(int argc, char **argv) {
    static const fuzz_seed seeds[] = {
        FUZZ_SEED("\x93NUMPY\x01\x00\x3b\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }"
                  "\x00\x00\x80\x3f\x00\x00\x80\x7f"),
        FUZZ_SEED(
            "\x93NUMPY\x02\x00\x39\x00\x00\x00{'descr': '<i8', 'fortran_order': True, 'shape': (2,), }\n"
            "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"),
        FUZZ_SEED("\x93NUMPY\x03\x00\x3a\x00\x00\x00{\"shape\":(3,1),\"descr\":\"=f2\",\"fortran_order\":"
                  "False,}      "
                  "\x00\x3c\x00\x7c\x01\x00"),
        FUZZ_SEED("\x93NUMPY\x01\x00\x3b\x00{'descr': '>i2', 'fortran_order': True, 'shape': (3, 2), } "
                  "\x00\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06"),
        FUZZ_SEED("\x93NUMPY\x01\x00\x3c\x00{'descr': '<f8', 'fortran_order': False, 'shape': (0, 99), }"),
    };
    return fuzz_walk(argc, argv, seeds, sizeof seeds / sizeof seeds[0]);
}
#endif
