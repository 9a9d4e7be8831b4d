/* Certificates from arbitrary bytes, held against facts that can be stored (the identity): none is accepted. */
#include "ireneo.h"
#include "sealed.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static const float identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const ireneo_facts facts = {
        .facts = 3, .candidates = 3, .dim_in = 3, .dim_out = 3, .keys = identity, .values = identity};
    ireneo_certificate *c = NULL;
    ireneo_verify_report report = {0};
    if (ireneo_certificate_load(fuzz_sealed_file(0, bytes, count), &c) != IRENEO_OK) {
        if (c != NULL) abort();
        return 0;
    }
    if (ireneo_verify(c, &facts, &(ireneo_verify_settings){.threads = 1}, &report) == IRENEO_OK &&
        report.accepted)
        abort();
    ireneo_certificate_free(c);
    return 0;
}
