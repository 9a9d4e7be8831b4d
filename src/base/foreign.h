/* Files of other programs, told apart by their first bytes or their ending, and how to convert them. */
#ifndef IRENEO_BASE_FOREIGN_H
#define IRENEO_BASE_FOREIGN_H

#include "base/error.h"

#include <stdbool.h>

/* Whether the ending, or where it says nothing the first bytes (count), are those of a format that is known
 * and not read. */
bool ireneo_foreign_recognise(const char *path, const unsigned char *bytes, size_t count);

/* The sentence about such a file, or about one that is not known at all. */
ireneo_error ireneo_foreign_fail(const char *path, const unsigned char *bytes, size_t count);

/* Whether this is what Git leaves in the place of a large file that was not fetched. */
bool ireneo_is_lfs_pointer(const unsigned char *bytes, size_t count);

bool ireneo_ends_with(const char *text, const char *ending);

#endif
