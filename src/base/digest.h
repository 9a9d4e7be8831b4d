/* Digests against which no two different contents are known: BLAKE2b, 32 bytes, from libb2. */
#ifndef IRENEO_BASE_DIGEST_H
#define IRENEO_BASE_DIGEST_H

#include <blake2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IRENEO_DIGEST_BYTES = 32, IRENEO_DIGEST_TEXT = 2 * IRENEO_DIGEST_BYTES + 1 };

typedef struct ireneo_digest {
    blake2b_state state;
} ireneo_digest;

void ireneo_digest_begin(ireneo_digest *digest);
void ireneo_digest_bytes(ireneo_digest *digest, const void *bytes, size_t count);
/* A whole number, the same bytes on every machine. */
void ireneo_digest_number(ireneo_digest *digest, uint64_t number);
void ireneo_digest_put(uint64_t *place, uint64_t number); /* those bytes */
/* A text with its length, so that two texts cannot be told as one. */
void ireneo_digest_string(ireneo_digest *digest, const char *text);
void ireneo_digest_end(ireneo_digest *digest, unsigned char *result);

/* A large block is cut into pieces that are digested side by side; the result does not depend on the threads. It is the
 * digest of the length and of the digests of the pieces, which ireneo_digest_pieces makes of a block in parts. */
enum { IRENEO_DIGEST_PIECE = 1 << 17 };
void ireneo_digest_pieces(const void *bytes, size_t count, int threads, unsigned char *digests);
void ireneo_digest_block(ireneo_digest *digest, const void *bytes, size_t count, int threads);

/* As lower-case hexadecimal text (IRENEO_DIGEST_TEXT), and back; false when the text is no digest. */
void ireneo_digest_write(const unsigned char *digest, char *text);
bool ireneo_digest_read(const char *text, unsigned char *digest);

#endif
