/* The .npy format of NumPy, versions 1.0 to 3.0 (numpy.org/neps/nep-0001-npy-format.html). */
#ifndef IRENEO_BASE_NPY_H
#define IRENEO_BASE_NPY_H

#include "base/source.h"

/* Whether these bytes begin with the magic string of .npy. */
bool ireneo_npy_recognise(const unsigned char *bytes, size_t count);

/* Bytes that tell how long the header is, and how many bytes from the beginning that header takes; the latter
 * is 0 when the first bytes (count) are not those of a .npy file. */
enum { IRENEO_NPY_FIRST_BYTES = 12 };
size_t ireneo_npy_head_bytes(const unsigned char *first, size_t count);

/* Describes the array in a file of so many bytes, of which `head` are at hand. `path` is for error sentences.
 */
ireneo_error ireneo_npy_parse(const char *path, const unsigned char *bytes, size_t head, size_t count,
                              ireneo_layout *layout);

#endif
