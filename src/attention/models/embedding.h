/* How alike the vectors are that a model makes of tokens, before its first layer: rho_0 and q_0. */
#ifndef IRENEO_ATTENTION_MODELS_EMBEDDING_H
#define IRENEO_ATTENTION_MODELS_EMBEDDING_H

#include "base/error.h"

#include <stdbool.h>

/* Vectors are scale (embedding[id] + position + segment), and with `centred` without their mean over entries, as LayerNorm
 * sees them. */
typedef struct ireneo_embedding_request {
    const char *path, *embedding; /* a matrix (vocabulary, width) in a model */
    size_t vocabulary, width;
    const float *positions; /* (position_count, width); NULL: none */
    size_t position_count;
    const float *segment; /* (width), the same for all tokens; NULL: none */
    double scale;
    bool centred;
    const ireneo_attention_tokens *tokens; /* below the vocabulary; NULL: every token once */
} ireneo_embedding_request;

/* Mean cosine between different places of a sequence, over sequences; mean square of the entries. The matrix is read once,
 * in blocks; vectors of zeros are left out. Without ids all tokens make one sequence, or with positions as many as there
 * must be: token i is at place i / n of sequence i % n, so that neighbours in the vocabulary are apart. */
ireneo_error ireneo_embedding_measure(const ireneo_embedding_request *request, double *rho, double *q);

/* Ids below `vocabulary`, others are errors that name the first: how many tokens there are without padding, and in the longest
 * sequence. */
ireneo_error ireneo_tokens_count(const char *location, const ireneo_attention_tokens *tokens,
                                 size_t vocabulary, size_t *count, size_t *longest);

#endif
