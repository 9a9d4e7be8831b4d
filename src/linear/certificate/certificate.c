/* Certificates as objects and as files. */
#include "linear/certificate/certificate.h"
#include "base/digest.h"
#include "base/ram.h"
#include "base/seal.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char FORMAT[] = "ireneo-certificate-2";

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
    free(certificate->margins);
    free(certificate);
}

ireneo_error ireneo_certificate_save(const ireneo_certificate *c, const char *path) {
    IRENEO_REQUIRE(c != NULL && path != NULL, "saving a certificate needs a certificate and a path");
    IRENEO_REQUIRE(c->facts != NULL && c->candidates != NULL && c->weights != NULL,
                   "the certificate is empty");
    char hash[IRENEO_DIGEST_TEXT];
    ireneo_digest_write(c->facts_hash, hash);
    const ireneo_tensor tensors[] = {{"fact", IRENEO_DTYPE_INT64, 1, {c->count}, c->facts},
                                     {"candidate", IRENEO_DTYPE_INT64, 1, {c->count}, c->candidates},
                                     {"weight", IRENEO_DTYPE_FLOAT64, 1, {c->count}, c->weights},
                                     {"margin", IRENEO_DTYPE_FLOAT64, 1, {c->count}, c->margins}};
    const char *metadata[] = {"format", FORMAT,    "facts_hash",     hash,
                              "reason", c->reason, "ireneo_version", ireneo_version()};
    return ireneo_save_sealed(path, tensors, c->margins != NULL ? 4 : 3, metadata, 4);
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
    int has_margins = 0;
    size_t margins = facts;
    IRENEO_TRY(ireneo_safetensors_has(path, "margin", &has_margins));
    if (!has_margins) return IRENEO_OK;
    IRENEO_TRY(tensor_location(path, "margin", location, sizeof location));
    IRENEO_TRY(ireneo_load_vector(location, &c->margins, &margins));
    if (margins != facts)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s: %zu weights and %zu margins do not belong together", path,
                           facts, margins);
    return IRENEO_OK;
}

static ireneo_error load_metadata(const char *path, ireneo_certificate *c) {
    char *format = NULL, *hash = NULL, *reason = NULL;
    ireneo_error failed = ireneo_safetensors_metadata(path, "format", &format);
    if (failed == IRENEO_OK && (format == NULL || strcmp(format, FORMAT) != 0))
        failed = ireneo_fail(IRENEO_ERROR_DATA,
                             "%s is not a certificate that this version reads: its format is '%s', not '%s'",
                             path, format != NULL ? format : "none", FORMAT);
    if (failed == IRENEO_OK) failed = ireneo_safetensors_metadata(path, "facts_hash", &hash);
    if (failed == IRENEO_OK) failed = ireneo_safetensors_metadata(path, "reason", &reason);
    if (failed == IRENEO_OK) {
        if (!ireneo_digest_read(hash, c->facts_hash))
            failed = ireneo_fail(IRENEO_ERROR_DATA,
                                 "%s: the fingerprint of the facts is missing or malformed", path);
        if (reason != NULL) snprintf(c->reason, sizeof c->reason, "%s", reason);
    }
    ireneo_free(format);
    ireneo_free(hash);
    ireneo_free(reason);
    return failed;
}

static ireneo_error check_seal(const char *path) {
    bool sealed = false;
    IRENEO_TRY(ireneo_check_seal(path, &sealed));
    return sealed ? IRENEO_OK : ireneo_fail(IRENEO_ERROR_DATA, "%s: the certificate has no checksum", path);
}

ireneo_error ireneo_certificate_load(const char *path, ireneo_certificate **certificate) {
    IRENEO_REQUIRE(certificate != NULL, "loading a certificate needs a place for it");
    *certificate = NULL;
    IRENEO_REQUIRE(path != NULL, "loading a certificate needs a path");
    ireneo_certificate *c = calloc(1, sizeof *c);
    if (c == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for a certificate");
    ireneo_error failed = load_metadata(path, c);
    if (failed == IRENEO_OK) failed = check_seal(path);
    if (failed == IRENEO_OK) failed = load_arrays(path, c);
    if (failed != IRENEO_OK)
        ireneo_certificate_free(c);
    else
        *certificate = c;
    return failed;
}
