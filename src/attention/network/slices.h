/* Heads inside the rows of a matrix: in every row `count` slices of `width` numbers, one behind the other. */
#ifndef IRENEO_ATTENTION_NETWORK_SLICES_H
#define IRENEO_ATTENTION_NETWORK_SLICES_H

#include <stddef.h>

typedef struct ireneo_slices {
    size_t rows, count, width;
    size_t stride; /* numbers from row to row */
} ireneo_slices;

#endif
