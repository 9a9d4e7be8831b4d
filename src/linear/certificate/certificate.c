/* Certificates as objects and as files. */
#include "linear/certificate/certificate.h"
#include "base/hash.h"
#include "base/ram.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char FORMAT[] = "ireneo-certificate-1";

ireneo_error ireneo_certificate_allocate(size_t count, ireneo_certificate **certificate) {
    *certificate = NULL;
    ireneo_certificate *c = calloc(1, sizeof *c);
    if (c == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for a certificate");
    c->count = count;
    ireneo_error failed = IRENEO_ALLOCATE(&c->facts, count, "certificate");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&c->candidates, count, "certificate");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&c->weights, count, "certificate");
    if (failed != IRENEO_OK)
        ireneo_certificate_free(c);
    else
        *certificate = c;
    return failed;
}

void ireneo_certificate_free(ireneo_certificate *certificate) {
    if (certificate == NULL) return;
    free(certificate->facts);
    free(certificate->candidates);
    free(certificate->weights);
    free(certificate);
}

static uint64_t mix_words(uint64_t state, const void *words, size_t count) {
    for (size_t k = 0; k < count; k++) {
        uint64_t word;
        memcpy(&word, (const char *)words + k * sizeof word, sizeof word);
        state = ireneo_hash_word(state, word, 31);
    }
    return state;
}

/* Of all entries. A small weight could change without spoiling the proof; the file would still not be the one
 * that was written. */
static uint64_t checksum(const ireneo_certificate *c) {
    uint64_t state = IRENEO_GOLDEN_RATIO + c->count;
    state = mix_words(state, c->facts, c->count);
    state = mix_words(state, c->candidates, c->count);
    return mix_words(state, c->weights, c->count);
}

ireneo_error ireneo_certificate_save(const ireneo_certificate *c, const char *path) {
    IRENEO_REQUIRE(c != NULL && path != NULL, "saving a certificate needs a certificate and a path");
    IRENEO_REQUIRE(c->facts != NULL && c->candidates != NULL && c->weights != NULL,
                   "the certificate is empty");
    char hash[32], sum[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, c->facts_hash);
    snprintf(sum, sizeof sum, "%016" PRIx64, checksum(c));
    const ireneo_tensor tensors[] = {{"fact", IRENEO_DTYPE_INT64, 1, {c->count}, c->facts},
                                     {"candidate", IRENEO_DTYPE_INT64, 1, {c->count}, c->candidates},
                                     {"weight", IRENEO_DTYPE_FLOAT64, 1, {c->count}, c->weights}};
    const char *metadata[] = {"format",  FORMAT,           "facts_hash",    hash, "checksum", sum, "reason",
                              c->reason, "ireneo_version", ireneo_version()};
    return ireneo_save_safetensors(path, tensors, 3, metadata, 5);
}

/* "path:name", for the loaders. */
static ireneo_error tensor_location(const char *path, const char *name, char *location, size_t size) {
    int length = snprintf(location, size, "%s:%s", path, name);
    if (length < 0 || (size_t)length >= size)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT, "the path of the certificate is too long");
    return IRENEO_OK;
}

static ireneo_error load_arrays(const char *path, ireneo_certificate *c) {
    char location[4200];
    size_t facts = 0, candidates = 0, weights = 0;
    IRENEO_TRY(tensor_location(path, "fact", location, sizeof location));
    IRENEO_TRY(ireneo_load_indices(location, &c->facts, &facts));
    IRENEO_TRY(tensor_location(path, "candidate", location, sizeof location));
    IRENEO_TRY(ireneo_load_indices(location, &c->candidates, &candidates));
    IRENEO_TRY(tensor_location(path, "weight", location, sizeof location));
    IRENEO_TRY(ireneo_load_vector(location, &c->weights, &weights));
    if (facts != candidates || facts != weights)
        return ireneo_fail(IRENEO_ERROR_DATA,
                           "%s: %zu facts, %zu candidates and %zu weights do not belong together", path,
                           facts, candidates, weights);
    c->count = facts;
    return IRENEO_OK;
}

static ireneo_error load_metadata(const char *path, ireneo_certificate *c) {
    char *format = NULL, *hash = NULL, *reason = NULL, *end = NULL;
    ireneo_error failed = ireneo_safetensors_metadata(path, "format", &format);
    if (failed == IRENEO_OK && (format == NULL || strcmp(format, FORMAT) != 0))
        failed = ireneo_fail(IRENEO_ERROR_DATA,
                             "%s is not a certificate that this version reads: its format is '%s', not '%s'",
                             path, format != NULL ? format : "none", FORMAT);
    if (failed == IRENEO_OK) failed = ireneo_safetensors_metadata(path, "facts_hash", &hash);
    if (failed == IRENEO_OK) failed = ireneo_safetensors_metadata(path, "reason", &reason);
    if (failed == IRENEO_OK) {
        c->facts_hash = hash != NULL ? strtoull(hash, &end, 16) : 0;
        if (hash == NULL || end == hash || *end != '\0')
            failed = ireneo_fail(IRENEO_ERROR_DATA,
                                 "%s: the fingerprint of the facts is missing or malformed", path);
        if (reason != NULL) snprintf(c->reason, sizeof c->reason, "%s", reason);
    }
    ireneo_free(format);
    ireneo_free(hash);
    ireneo_free(reason);
    return failed;
}

static ireneo_error check_sum(const char *path, const ireneo_certificate *c) {
    char *written = NULL, expected[32];
    IRENEO_TRY(ireneo_safetensors_metadata(path, "checksum", &written));
    snprintf(expected, sizeof expected, "%016" PRIx64, checksum(c));
    bool same = written != NULL && strcmp(written, expected) == 0;
    ireneo_free(written);
    return same ? IRENEO_OK
                : ireneo_fail(IRENEO_ERROR_DATA,
                              "%s: the certificate is damaged, its checksum does not fit its entries", path);
}

ireneo_error ireneo_certificate_load(const char *path, ireneo_certificate **certificate) {
    IRENEO_REQUIRE(certificate != NULL, "loading a certificate needs a place for it");
    *certificate = NULL;
    IRENEO_REQUIRE(path != NULL, "loading a certificate needs a path");
    ireneo_certificate *c = calloc(1, sizeof *c);
    if (c == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for a certificate");
    ireneo_error failed = load_metadata(path, c);
    if (failed == IRENEO_OK) failed = load_arrays(path, c);
    if (failed == IRENEO_OK) failed = check_sum(path, c);
    if (failed != IRENEO_OK)
        ireneo_certificate_free(c);
    else
        *certificate = c;
    return failed;
}
