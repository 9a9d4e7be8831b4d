/* The .safetensors reader against arbitrary bytes: nothing may be read outside them, and a tensor that is
 * accepted must lie inside them. */
#include "base/safetensors.h"

#include "fuzz.h"
#include "read_all.h"

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
