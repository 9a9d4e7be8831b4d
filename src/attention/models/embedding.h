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
    const int64_t *ids; /* (sequences, length), below the vocabulary or -1, padding; NULL: every token once */
    size_t sequences, length;
} ireneo_embedding_request;

/* Mean cosine between different places of a sequence, over sequences; mean square of the entries. The matrix is read once,
 * in blocks; vectors of zeros are left out. Without ids all tokens make one sequence, or with positions as many as there
 * must be: token i is at place i / n of sequence i % n, so that neighbours in the vocabulary are apart. */
ireneo_error ireneo_embedding_measure(const ireneo_embedding_request *request, double *rho, double *q);

/* Ids of tokens from a file. */
typedef struct ireneo_token_file {
    int64_t *ids; /* (sequences, length), -1 is padding; to be released with free() */
    size_t sequences, length;
    size_t tokens, longest; /* without padding: all, and of the longest sequence */
} ireneo_token_file;

/* Whole numbers, one sequence or a row each, below `vocabulary` or -1; others are errors that name the first. */
ireneo_error ireneo_token_file_read(const char *location, size_t vocabulary, ireneo_token_file *tokens);

#endif
