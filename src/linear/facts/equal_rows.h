/* Which rows of an array are equal, in time proportional to its size. */
#ifndef IRENEO_LINEAR_FACTS_EQUAL_ROWS_H
#define IRENEO_LINEAR_FACTS_EQUAL_ROWS_H

#include "base/holding.h"

/* Neighbours among equal rows: of three equal rows a < b < c, the pairs (a, b) and (b, c). */
typedef struct ireneo_equal_rows {
    size_t count;           /* 0: nothing to release */
    size_t *first, *second; /* (count), first < second */
} ireneo_equal_rows;

/* Rows (count, dim); 0 and -0 are equal. Release with ireneo_equal_rows_free. */
ireneo_error ireneo_equal_rows_find(const float *rows, size_t count, size_t dim, ireneo_equal_rows *equal);

/* The same over the rows of all ranks, of which those held here are given; numbers count all. Rows on different ranks are
 * told equal by 128 bits of them: whoever concludes something from it has to look at them once more. */
ireneo_error ireneo_equal_rows_find_held(const float *rows, const ireneo_holding *holding, size_t dim,
                                         ireneo_equal_rows *equal);
void ireneo_equal_rows_free(ireneo_equal_rows *equal);

#endif
