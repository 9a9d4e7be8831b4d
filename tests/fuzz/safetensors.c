/* The .safetensors reader against arbitrary bytes: nothing may be read outside them, and a tensor that is
 * accepted must lie inside them. */
#include "base/safetensors.h"

#include "read_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void try_name(const uint8_t *bytes, size_t count, const char *name) {
    ireneo_layout layout;
    if (ireneo_safetensors_parse("fuzz.safetensors", bytes, count, count, name, &layout) == IRENEO_OK)
        read_all(&layout, bytes, count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    ireneo_safetensors_recognise(bytes, count, count);
    try_name(bytes, count, NULL);
    try_name(bytes, count, "W");
    return 0;
}

#ifdef IRENEO_FUZZ_STANDALONE
#include "walk.h"

int main(int argc, char **argv) {
    static const fuzz_seed seeds[] = {
        FUZZ_SEED("\x3a\0\0\0\0\0\0\0{\"W\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]}}  "
                  "\x00\x00\x80\x3f\x00\x00\x80\x7f"),
        FUZZ_SEED(
            "\x94\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"\\u00e9\\\"\"},\"W\":{\"dtype\":\"I64\","
            "\"shape\":[1],"
            "\"data_offsets\":[0,8]},\"x\":{\"dtype\":\"BF16\",\"shape\":[2,1],\"data_offsets\":[8,12]}}"
            "\x01\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"),
        FUZZ_SEED("\x02\0\0\0\0\0\0\0{}"),
    };
    return fuzz_walk(argc, argv, seeds, sizeof seeds / sizeof seeds[0]);
}
#endif
