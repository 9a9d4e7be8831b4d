/* The judge alone: certificates whose entries and weights are the bytes, with the right fingerprint, for four facts
 * that the identity recalls. 10 bytes an entry: fact, competitor, weight. None may be accepted. */
#include "fuzz.h"
#include "ireneo.h"

#include <string.h>

enum { MOST = 256, ENTRY = 10 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const float keys[8] = {1, 0, 0, 1, -1, 0, 0, -1};
    static int64_t facts[MOST], candidates[MOST];
    static double weights[MOST];
    const ireneo_facts f = {
        .facts = 4, .candidates = 4, .dim_in = 2, .dim_out = 2, .keys = keys, .values = keys};
    ireneo_certificate c = {.facts = facts, .candidates = candidates, .weights = weights};
    ireneo_verify_report report = {0};
    if (ireneo_facts_hash(&f, c.facts_hash) != IRENEO_OK) abort();
    for (; c.count < MOST && (c.count + 1) * ENTRY <= count; c.count++) {
        const uint8_t *entry = bytes + c.count * ENTRY;
        facts[c.count] = (int8_t)entry[0];
        candidates[c.count] = (int8_t)entry[1];
        memcpy(&weights[c.count], entry + 2, sizeof *weights);
    }
    if (ireneo_verify(&c, &f, &(ireneo_verify_settings){.threads = 1}, &report) == IRENEO_OK &&
        report.accepted)
        abort();
    return 0;
}
