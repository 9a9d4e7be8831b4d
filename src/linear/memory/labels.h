/* Names of rows as two arrays that a file of tensors can hold: the texts one behind the other, and where each
 * begins and ends. */
#ifndef IRENEO_LINEAR_MEMORY_LABELS_H
#define IRENEO_LINEAR_MEMORY_LABELS_H

#include "base/error.h"

enum { IRENEO_LONGEST_LABEL = 4096 }; /* bytes */

typedef struct ireneo_packed_labels {
    size_t count, bytes;
    unsigned char *text; /* (bytes) UTF-8 without ends */
    int64_t *offsets;    /* (count + 1) label i is text[offsets[i]] .. text[offsets[i + 1] - 1] */
} ireneo_packed_labels;

/* Packs labels (count); `what` names them in sentences. Labels that are not UTF-8, hold control characters or are
 * longer than IRENEO_LONGEST_LABEL are refused. */
ireneo_error ireneo_labels_pack(char *const *labels, size_t count, const char *what,
                                ireneo_packed_labels *packed);

/* The way back, for arrays of any origin: text (bytes), offsets (count + 1). The labels (count) and their texts are
 * one block; release with free(). */
ireneo_error ireneo_labels_unpack(const unsigned char *text, size_t bytes, const int64_t *offsets,
                                  size_t count, const char *what, char ***labels);

void ireneo_packed_labels_free(ireneo_packed_labels *packed);

#endif
