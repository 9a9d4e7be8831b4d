/* Text as token ids, cut into sequences that a network reads.
 *
 * Padding is left out before anything else: what remains of a row of ids is cut into windows of at most `context` tokens, so
 * that no padded position is ever a key, a query, or in a mean. */
#ifndef IRENEO_ATTENTION_NETWORK_TOKEN_IDS_H
#define IRENEO_ATTENTION_NETWORK_TOKEN_IDS_H

#include "base/error.h"

typedef struct ireneo_token_windows {
    int32_t *ids;   /* (starts[count]): no padding */
    size_t *starts; /* (count + 1): window i is [starts[i], starts[i + 1]) */
    size_t count, longest;
} ireneo_token_windows;

/* Cuts every row into windows of `context` tokens: whole ones, and the row itself where it is shorter than one. Rows of less than
 * two tokens are left out; fails when none is left, or an id is too large. */
ireneo_error ireneo_token_windows_cut(const ireneo_attention_tokens *tokens, size_t context,
                                      ireneo_token_windows *windows);
void ireneo_token_windows_free(ireneo_token_windows *windows);

/* Adds what window `number` (modulo their number) looks like to a network: x (its length, width) is E[id] + positions P[place],
 * with E and P independent standard normal numbers of two random streams; equal ids have equal E. Returns its length. */
size_t ireneo_token_windows_embed(const ireneo_token_windows *windows, size_t number, size_t width,
                                  double positions, uint64_t seed, const uint64_t streams[2], float *x);

/* All tokens of the rows one after the other, padding left out; release *ids with free(). */
ireneo_error ireneo_token_stream(const ireneo_attention_tokens *tokens, int32_t **ids, size_t *count);

#endif
