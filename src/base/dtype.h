/* Element types of files, and their elements as the numbers that the rooms compute with. */
#ifndef IRENEO_BASE_DTYPE_H
#define IRENEO_BASE_DTYPE_H

#include "base/error.h"

#include <stdbool.h>

/* For sentences about types that cannot be read. */
#define IRENEO_DTYPE_LIST "float32, or another of float16, bfloat16, float64, bool and 8 to 64 bit integers"

/* Whether the elements are whole numbers; bool counts as 0 and 1. */
bool ireneo_dtype_whole(ireneo_dtype dtype);

/* Elements lie at any address, in the byte order of this machine. */
double ireneo_element(ireneo_dtype dtype, const unsigned char *source);

/* An element of a whole type; false when int64 cannot hold it. */
bool ireneo_whole_element(ireneo_dtype dtype, const unsigned char *source, int64_t *value);

/* Elements (count) as float32, rounded to nearest. */
void ireneo_elements_to_float(ireneo_dtype dtype, const unsigned char *source, size_t count, float *values);

/* Turns the bytes of elements (count) of `size` bytes round, from big-endian to little-endian. */
void ireneo_swap_bytes(unsigned char *elements, size_t count, size_t size);

#endif
