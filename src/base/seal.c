/* Checking seals; safetensors_write.c makes them. */
#include "base/seal.h"
#include "base/digest.h"
#include "base/input_file.h"
#include "base/ram.h"
#include "base/safetensors.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 };

/* Place of the digest in the header, or NULL. The entry is the first of the metadata. */
static char *find_digest(char *header) {
    static const char entry[] = "\"checksum\": \""; /* as base/json.c writes it */
    char *at = strstr(header, entry);
    if (at == NULL || strlen(at) < sizeof entry - 1 + IRENEO_DIGEST_TEXT) return NULL;
    return at + sizeof entry - 1;
}

static ireneo_error digest_rest(const ireneo_input_file *file, size_t from, ireneo_digest *d) {
    unsigned char *piece = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&piece, PIECE, "a piece of a file"));
    ireneo_error failed = IRENEO_OK;
    for (size_t at = from; failed == IRENEO_OK && at < file->bytes; at += PIECE) {
        size_t count = file->bytes - at < PIECE ? file->bytes - at : PIECE;
        failed = ireneo_input_file_read(file, at, piece, count);
        if (failed == IRENEO_OK) ireneo_digest_bytes(d, piece, count);
    }
    free(piece);
    return failed;
}

static ireneo_error compare(const ireneo_input_file *file, unsigned char *head, size_t count, bool *sealed) {
    unsigned char written[IRENEO_DIGEST_BYTES], found[IRENEO_DIGEST_BYTES];
    char text[IRENEO_DIGEST_TEXT], *digest = find_digest((char *)head + IRENEO_SAFETENSORS_LENGTH_BYTES);
    *sealed = digest != NULL;
    if (!*sealed) return IRENEO_OK;
    memcpy(text, digest, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memset(digest, '0', sizeof text - 1);
    ireneo_digest d;
    ireneo_digest_begin(&d);
    ireneo_digest_bytes(&d, head, count);
    IRENEO_TRY(digest_rest(file, count, &d));
    ireneo_digest_end(&d, found);
    if (ireneo_digest_read(text, written) && memcmp(written, found, sizeof found) == 0) return IRENEO_OK;
    return ireneo_fail(IRENEO_ERROR_DATA, "%s is damaged: its checksum does not fit its contents",
                       file->path);
}

ireneo_error ireneo_check_seal(const char *path, bool *sealed) {
    ireneo_input_file file;
    unsigned char *head = NULL;
    size_t count = 0;
    uint64_t length = 0;
    *sealed = false;
    ireneo_error failed = ireneo_input_file_open(path, &file);
    if (failed == IRENEO_OK)
        failed = ireneo_input_file_head(&file, IRENEO_SAFETENSORS_LENGTH_BYTES, &head, &count);
    for (size_t k = 0; failed == IRENEO_OK && k < count; k++) length |= (uint64_t)head[k] << (8 * k);
    free(head);
    head = NULL;
    if (failed == IRENEO_OK && count == IRENEO_SAFETENSORS_LENGTH_BYTES &&
        length <= IRENEO_SAFETENSORS_LARGEST_HEADER) {
        failed =
            ireneo_input_file_head(&file, IRENEO_SAFETENSORS_LENGTH_BYTES + (size_t)length, &head, &count);
        if (failed == IRENEO_OK && count > IRENEO_SAFETENSORS_LENGTH_BYTES)
            failed = compare(&file, head, count, sealed);
    }
    free(head);
    ireneo_input_file_close(&file);
    return failed;
}
