/* Targets from arbitrary bytes: facts that pass the check have every target inside. */
#include "fuzz.h"
#include "ireneo.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const float keys[64] = {1}, values[6] = {1, 2, 3, 4, 5, 6};
    int64_t *targets = NULL;
    size_t n = 0;
    if (ireneo_load_indices(fuzz_file(0, bytes, count), &targets, &n) != IRENEO_OK) {
        if (targets != NULL) abort();
        return 0;
    }
    const ireneo_facts f = {.facts = n < 64 ? n : 64,
                            .candidates = 3,
                            .dim_in = 1,
                            .dim_out = 2,
                            .keys = keys,
                            .values = values,
                            .targets = targets};
    if (ireneo_facts_check(&f) == IRENEO_OK)
        for (size_t i = 0; i < f.facts; i++)
            if (targets[i] < 0 || targets[i] >= 3) abort();
    ireneo_free(targets);
    return 0;
}
