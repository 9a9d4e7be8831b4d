/* Bytes whose checksum, if they have the entry, is made to fit: else the seal would stop all but the seeds. */
#ifndef IRENEO_TESTS_FUZZ_SEALED_H
#define IRENEO_TESTS_FUZZ_SEALED_H

#include "base/digest.h"
#include "fuzz.h"

#include <string.h>

/* fuzz_file with a seal that fits; every fourth input keeps the one it has. */
static inline const char *fuzz_sealed_file(int slot, const uint8_t *bytes, size_t count) {
    static const char entry[] = "\"checksum\": \"";
    uint8_t *copy = malloc(count + 1);
    if (copy == NULL) abort();
    memcpy(copy, bytes, count);
    uint8_t *at = memmem(copy, count, entry, sizeof entry - 1);
    size_t left = at != NULL ? (size_t)(copy + count - at) : 0;
    if (left >= sizeof entry - 1 + IRENEO_DIGEST_TEXT && bytes[count - 1] % 4 != 3) {
        unsigned char digest[IRENEO_DIGEST_BYTES];
        char text[IRENEO_DIGEST_TEXT];
        ireneo_digest d;
        at += sizeof entry - 1;
        memset(at, '0', sizeof text - 1);
        ireneo_digest_begin(&d);
        ireneo_digest_bytes(&d, copy, count);
        ireneo_digest_end(&d, digest);
        ireneo_digest_write(digest, text);
        memcpy(at, text, sizeof text - 1);
    }
    const char *path = fuzz_file(slot, copy, count);
    free(copy);
    return path;
}

#endif
