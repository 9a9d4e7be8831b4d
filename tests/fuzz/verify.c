/* The judge alone: certificates whose entries and weights are the bytes, with the right fingerprint. The first byte
 * chooses the facts: four that the identity recalls, where none may be accepted, or three keys around the origin that no
 * memory takes to one side, where the search for an exact proof is reached; from 128 on, two equal keys that only their
 * offsets tell apart, where none may be accepted either. 10 bytes an entry: fact, competitor, weight. */
#include "fuzz.h"
#include "ireneo.h"

#include <string.h>

enum { MOST = 256, ENTRY = 10 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const float keys[8] = {1, 0, 0, 1, -1, 0, 0, -1};
    static const float around[6] = {1.0f, 0.1f, -0.3f, 1.0f, -0.7f, -1.1f}, sides[2] = {1, -1};
    static const int64_t one_side[3] = {0, 0, 0};
    static int64_t facts[MOST], candidates[MOST];
    static double weights[MOST];
    const ireneo_facts storable = {
        .facts = 4, .candidates = 4, .dim_in = 2, .dim_out = 2, .keys = keys, .values = keys};
    const ireneo_facts not_storable = {.facts = 3,
                                       .candidates = 2,
                                       .dim_in = 2,
                                       .dim_out = 1,
                                       .keys = around,
                                       .values = sides,
                                       .targets = one_side};
    static const float equal[2] = {1, 1}, offsets[2] = {1, 0};
    static const int64_t both[2] = {0, 1};
    const ireneo_facts told_apart = {.facts = 2,
                                     .candidates = 2,
                                     .dim_in = 1,
                                     .dim_out = 1,
                                     .keys = equal,
                                     .values = sides,
                                     .targets = both,
                                     .residuals = offsets};
    if (count == 0) return 0;
    const ireneo_facts *f = bytes[0] >= 128 ? &told_apart : bytes[0] % 2 == 0 ? &storable : &not_storable;
    ireneo_certificate c = {.facts = facts, .candidates = candidates, .weights = weights};
    ireneo_verify_report report = {0};
    if (ireneo_facts_hash(f, c.facts_hash) != IRENEO_OK) abort();
    for (bytes++, count--; c.count < MOST && (c.count + 1) * ENTRY <= count; c.count++) {
        const uint8_t *entry = bytes + c.count * ENTRY;
        facts[c.count] = (int8_t)entry[0];
        candidates[c.count] = (int8_t)entry[1];
        memcpy(&weights[c.count], entry + 2, sizeof *weights);
    }
    if (ireneo_verify(&c, f, &(ireneo_verify_settings){.threads = 1}, &report) == IRENEO_OK &&
        report.accepted && f != &not_storable)
        abort();
    return 0;
}
