/* BLAKE2b over numbers, texts and large blocks. */
#include "base/digest.h"
#include "base/pool.h"

#include <stdio.h>
#include <string.h>

enum {
    PIECE = IRENEO_DIGEST_PIECE,
    AT_ONCE = 64
}; /* bytes of a piece; pieces whose digests are kept at a time */

void ireneo_digest_begin(ireneo_digest *d) {
    blake2b_init(&d->state, IRENEO_DIGEST_BYTES);
}

void ireneo_digest_bytes(ireneo_digest *d, const void *bytes, size_t count) {
    blake2b_update(&d->state, bytes, count);
}

void ireneo_digest_put(uint64_t *place, uint64_t number) {
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(number >> (8 * k));
    memcpy(place, bytes, sizeof bytes);
}

void ireneo_digest_number(ireneo_digest *d, uint64_t number) {
    uint64_t place;
    ireneo_digest_put(&place, number);
    ireneo_digest_bytes(d, &place, sizeof place);
}

void ireneo_digest_string(ireneo_digest *d, const char *text) {
    ireneo_digest_number(d, strlen(text));
    ireneo_digest_bytes(d, text, strlen(text));
}

void ireneo_digest_end(ireneo_digest *d, unsigned char *result) {
    blake2b_final(&d->state, result, IRENEO_DIGEST_BYTES);
}

/* Pieces of a block, and where their digests go. */
typedef struct block_pieces {
    const unsigned char *from;
    size_t count;
    unsigned char *digests; /* (pieces, IRENEO_DIGEST_BYTES) */
} block_pieces;

static void digest_piece(void *context, size_t k, int thread) {
    (void)thread;
    const block_pieces *b = context;
    size_t at = k * PIECE, length = b->count - at < PIECE ? b->count - at : PIECE;
    blake2b(b->digests + k * IRENEO_DIGEST_BYTES, b->from + at, NULL, IRENEO_DIGEST_BYTES, length, 0);
}

void ireneo_digest_pieces(const void *bytes, size_t count, int threads, unsigned char *digests) {
    block_pieces block = {bytes, count, digests};
    size_t pieces = (count + PIECE - 1) / PIECE;
    ireneo_share(pieces, threads, digest_piece, &block);
}

void ireneo_digest_block(ireneo_digest *d, const void *bytes, size_t count, int threads) {
    unsigned char digests[AT_ONCE * IRENEO_DIGEST_BYTES];
    const size_t most = (size_t)AT_ONCE * PIECE;
    ireneo_digest_number(d, count);
    for (size_t first = 0; first < count; first += most) {
        size_t many = count - first < most ? count - first : most;
        ireneo_digest_pieces((const unsigned char *)bytes + first, many, threads, digests);
        ireneo_digest_bytes(d, digests, (many + PIECE - 1) / PIECE * IRENEO_DIGEST_BYTES);
    }
}

void ireneo_digest_write(const unsigned char *digest, char *text) {
    for (size_t k = 0; k < IRENEO_DIGEST_BYTES; k++) snprintf(text + 2 * k, 3, "%02x", digest[k]);
}

static int hexadecimal(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool ireneo_digest_read(const char *text, unsigned char *digest) {
    if (text == NULL || strlen(text) != IRENEO_DIGEST_TEXT - 1) return false;
    for (size_t k = 0; k < IRENEO_DIGEST_BYTES; k++) {
        int high = hexadecimal(text[2 * k]), low = hexadecimal(text[2 * k + 1]);
        if (high < 0 || low < 0) return false;
        digest[k] = (unsigned char)(16 * high + low);
    }
    return true;
}
