/* float32 numbers as elements of narrower or wider floating types, rounded to nearest, ties to even. */
#ifndef IRENEO_BASE_NARROW_H
#define IRENEO_BASE_NARROW_H

#include "base/error.h"

/* numbers (count) become elements of a floating type, and are themselves replaced by what those elements hold. Other types
 * are IRENEO_ERROR_ARGUMENT; numbers beyond the range of the type IRENEO_ERROR_DATA. elements may be NULL. */
ireneo_error ireneo_narrow(ireneo_dtype dtype, float *numbers, size_t count, unsigned char *elements);

#endif
