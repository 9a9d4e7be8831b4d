/* Text as numbered symbols, and sequences of it with questions: masked positions, or what comes next. */
#ifndef IRENEO_ATTENTION_NETWORK_MASKED_TEXT_H
#define IRENEO_ATTENTION_NETWORK_MASKED_TEXT_H

#include "base/error.h"

typedef struct ireneo_text {
    int *symbols;      /* (length): numbers 0 .. distinct - 1, in order of the bytes or ids */
    size_t length;     /* of the whole text */
    size_t training;   /* the first `training` symbols are trained on, the rest is held out */
    size_t distinct;   /* different bytes or ids */
    double *frequency; /* (distinct) of each symbol, over the whole text */
    double entropy;    /* -sum f log f, in nats */
} ireneo_text;

/* Fails when the text is too short for sequences of `context` symbols or has only one kind of byte; `name` is
 * for the sentence. */
ireneo_error ireneo_text_read(const unsigned char *bytes, size_t length, size_t context, const char *name,
                              ireneo_text *text);

/* The same of token ids, without padding. */
ireneo_error ireneo_text_read_ids(const int32_t *ids, size_t length, size_t context, const char *name,
                                  ireneo_text *text);
void ireneo_text_free(ireneo_text *text);

/* The `count` symbols from `start` on: tokens get the mask (number `distinct`) with chance `share`, and
 * targets the symbol there, or -1 elsewhere. Which positions are masked depends on (seed, stream) only. */
void ireneo_text_mask(const ireneo_text *text, size_t start, size_t count, double share, uint64_t seed,
                      uint64_t stream, int *tokens, int *targets);

/* The same with nothing masked: every token is asked for the symbol after it, so that count + 1 are read. */
void ireneo_text_follow(const ireneo_text *text, size_t start, size_t count, int *tokens, int *targets);

/* -log of how often one symbol follows another in the whole text, (distinct, distinct), for the caller to free;
 * infinite for pairs that do not occur. */
ireneo_error ireneo_text_pairs(const ireneo_text *text, double **surprise);

#endif
