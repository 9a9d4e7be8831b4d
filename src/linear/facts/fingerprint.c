/* Fingerprints of facts. */
#include "linear/facts/fingerprint.h"
#include "base/digest_held.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"
#include "linear/facts/facts.h"

#include <string.h>

enum { BLOCK = 256 }; /* own candidates made at a time */

static const char FORMAT[] = "ireneo-facts-2";

typedef struct own_digests {
    const ireneo_facts *f;
    float *space;          /* (threads, BLOCK, dim_out) */
    unsigned char *digest; /* (facts, IRENEO_DIGEST_BYTES) */
} own_digests;

static ireneo_error digest_own(void *context, size_t fact, int thread) {
    const own_digests *s = context;
    const ireneo_facts *f = s->f;
    float *block = s->space + (size_t)thread * BLOCK * f->dim_out;
    ireneo_digest d;
    ireneo_digest_begin(&d);
    for (size_t first = 0; first < f->candidates; first += BLOCK) {
        size_t many = f->candidates - first < BLOCK ? f->candidates - first : BLOCK;
        f->own_candidates(f->own_context, fact, first, many, block);
        ireneo_digest_bytes(&d, block, many * f->dim_out * sizeof *block);
    }
    ireneo_digest_end(&d, s->digest + fact * IRENEO_DIGEST_BYTES);
    return IRENEO_OK;
}

/* Own candidates fact by fact, side by side. */
static ireneo_error add_own(const ireneo_facts *f, int threads, ireneo_digest *d) {
    own_digests s = {.f = f};
    ireneo_holding holding = ireneo_facts_holding(f);
    ireneo_error failed = IRENEO_ALLOCATE(&s.space, (size_t)threads * BLOCK * f->dim_out, "own candidates");
    if (failed == IRENEO_OK)
        failed = IRENEO_ALLOCATE(&s.digest, f->facts * IRENEO_DIGEST_BYTES, "fingerprint");
    if (failed == IRENEO_OK) failed = ireneo_parallel(f->facts, threads, NULL, "fingerprint", digest_own, &s);
    if (failed == IRENEO_OK) failed = ireneo_digest_gathered(d, &holding, s.digest, IRENEO_DIGEST_BYTES);
    free(s.space), free(s.digest);
    return failed;
}

static ireneo_error add_targets(const ireneo_facts *f, ireneo_digest *d) {
    uint64_t *numbers = NULL;
    ireneo_holding holding = ireneo_facts_holding(f);
    IRENEO_TRY(IRENEO_ALLOCATE(&numbers, f->facts, "fingerprint"));
    for (size_t i = 0; i < f->facts; i++) ireneo_digest_put(&numbers[i], ireneo_target_of(f, i));
    ireneo_error failed = ireneo_digest_gathered(d, &holding, numbers, sizeof *numbers);
    free(numbers);
    return failed;
}

ireneo_error ireneo_fingerprint(const ireneo_facts *f, int threads, unsigned char *hash) {
    const uint64_t sizes[] = {ireneo_facts_total(f), f->candidates, f->dim_in, f->dim_out, f->values != NULL};
    ireneo_holding holding = ireneo_facts_holding(f);
    ireneo_digest d;
    ireneo_digest_begin(&d);
    ireneo_digest_string(&d, FORMAT);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) ireneo_digest_number(&d, sizes[k]);
    IRENEO_TRY(ireneo_digest_held(&d, &holding, f->keys, f->dim_in * sizeof *f->keys, threads));
    if (f->values != NULL) {
        ireneo_holding mine = ireneo_holding_spread(holding.ranks, f->candidates);
        IRENEO_TRY(ireneo_digest_held(&d, &mine, f->values + mine.first * f->dim_out,
                                      f->dim_out * sizeof *f->values, threads));
    } else {
        IRENEO_TRY(add_own(f, threads, &d));
    }
    IRENEO_TRY(add_targets(f, &d));
    if (f->residuals != NULL) {
        ireneo_digest_string(&d, "residuals");
        IRENEO_TRY(
            ireneo_digest_held(&d, &holding, f->residuals, f->dim_out * sizeof *f->residuals, threads));
    }
    ireneo_digest_end(&d, hash);
    return IRENEO_OK;
}

ireneo_error ireneo_facts_hash(const ireneo_facts *facts, unsigned char *hash) {
    int threads;
    IRENEO_REQUIRE(hash != NULL, "a fingerprint needs a place");
    memset(hash, 0, IRENEO_DIGEST_BYTES);
    IRENEO_TRY(ireneo_facts_check_held(facts));
    IRENEO_TRY(ireneo_enter(0, &threads));
    return ireneo_leave(ireneo_fingerprint(facts, threads, hash));
}
