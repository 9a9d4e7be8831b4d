/* What the step from a file's numbers to float32 loses, and whether that matters.
 *
 * float64 numbers are rounded to nearest, which changes them by 6e-8 of their size at most and is only noted.
 * It is an error when the loss is of another kind: a whole number that float32 cannot hold (an index or a
 * count), a number so small that float32 keeps few of its digits or none, or two rows that differ in the file
 * and no longer differ afterwards. */
#ifndef IRENEO_BASE_ROUNDING_H
#define IRENEO_BASE_ROUNDING_H

#include "base/error.h"

#include <stdbool.h>

/* Looks at elements (count) and their float32 (count), and adds to the notes. Returns the first that is not
 * finite in float32 or that lost what matters; count when there is none. */
size_t ireneo_rounding_first_lost(ireneo_dtype dtype, const unsigned char *elements, size_t count,
                                  const float *values, ireneo_load_notes *notes);

/* The sentence about such an element. */
ireneo_error ireneo_rounding_fail(const char *location, ireneo_dtype dtype, const unsigned char *element,
                                  size_t row, size_t column);

/* A mark of one number in its column; marks of a row add up in any order to the mark of the row. */
uint64_t ireneo_rounding_mark(double value, size_t column);

/* Whether two rows of different marks (rows) are the same in float32 (rows, columns): an error. Only rows of
 * one group, of so many rows each, are compared. */
ireneo_error ireneo_rounding_distinct(const char *location, const float *matrix, size_t rows, size_t columns,
                                      size_t group, const uint64_t *marks);

#endif
