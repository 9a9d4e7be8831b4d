/* The .safetensors format: 8 bytes of header length, a JSON header, the tensors without gaps
 * (github.com/huggingface/safetensors). */
#ifndef IRENEO_BASE_SAFETENSORS_H
#define IRENEO_BASE_SAFETENSORS_H

#include "base/source.h"

enum {
    IRENEO_SAFETENSORS_LENGTH_BYTES = 8,
    IRENEO_SAFETENSORS_LARGEST_HEADER = 100 * 1000 * 1000 /* the limit of the reference implementation */
};

/* The one key of the header that is not a tensor. */
#define IRENEO_SAFETENSORS_METADATA "__metadata__"

/* Whether these bytes, the first of a file of `count`, could begin a .safetensors file: a header length that
 * fits, then a brace. */
bool ireneo_safetensors_recognise(const unsigned char *bytes, size_t head, size_t count);

/* The header of a file, or just its length when what is announced cannot be; release with free(). */
ireneo_error ireneo_safetensors_head(const ireneo_input_file *file, unsigned char **head, size_t *count);

/* Describes one tensor in a file of `count` bytes, of which `head` are at hand. name NULL: the only tensor
 * there is. `path` is for error sentences. The layout of all tensors is checked, not only of this one. */
ireneo_error ireneo_safetensors_parse(const char *path, const unsigned char *bytes, size_t head, size_t count,
                                      const char *name, ireneo_layout *layout);

/* The names of all tensors, as ireneo_tensor_names gives them. */
ireneo_error ireneo_safetensors_names(const char *path, char ***names, size_t *count);

/* Names (count) in one block: pointers, then texts. */
ireneo_error ireneo_names_pack(const char *const *names, size_t count, char ***packed);

/* What the format calls a type: "F32". */
const char *ireneo_safetensors_type(ireneo_dtype dtype);

#endif
