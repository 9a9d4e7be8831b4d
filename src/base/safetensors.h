/* The .safetensors format: 8 bytes of header length, a JSON header, the tensors without gaps
 * (github.com/huggingface/safetensors). */
#ifndef IRENEO_BASE_SAFETENSORS_H
#define IRENEO_BASE_SAFETENSORS_H

#include "base/error.h"

#include <stdbool.h>

enum {
    IRENEO_SAFETENSORS_LENGTH_BYTES = 8,
    IRENEO_SAFETENSORS_LARGEST_HEADER = 100 * 1000 * 1000 /* the limit of the reference implementation */
};

/* The one key of the header that is not a tensor. */
#define IRENEO_SAFETENSORS_METADATA "__metadata__"

/* Whether these bytes could begin a .safetensors file: a header length that fits, then a brace. */
bool ireneo_safetensors_recognise(const unsigned char *bytes, size_t count);

/* Describes one tensor in a file's bytes (count); array->data points into them. name NULL: the only tensor
 * there is. `path` is for error sentences. The layout of all tensors is checked, not only of this one. */
ireneo_error ireneo_safetensors_parse(const char *path, const unsigned char *bytes, size_t count,
                                      const char *name, ireneo_array *array);

/* Sorts names (count) and says whether one occurs twice. */
bool ireneo_names_repeat(const char **names, size_t count);

/* Names end in error sentences on terminals, where control characters could do harm; tensors with them are
 * refused. */
bool ireneo_name_printable(const char *name);

#endif
