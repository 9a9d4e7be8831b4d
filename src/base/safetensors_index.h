/* The index of a model in several .safetensors files: "weight_map" says in which of them each tensor lies
 * (huggingface.co/docs/safetensors, "sharded"). */
#ifndef IRENEO_BASE_SAFETENSORS_INDEX_H
#define IRENEO_BASE_SAFETENSORS_INDEX_H

#include "base/error.h"

/* The path of the shard that holds a tensor, from the bytes (count) of the index at `path`. Shards lie beside
 * their index, and names that lead elsewhere are refused. Release *shard with free(). */
ireneo_error ireneo_safetensors_shard(const char *path, const unsigned char *bytes, size_t count,
                                      const char *name, char **shard);

/* The names of all tensors, as ireneo_tensor_names gives them. */
ireneo_error ireneo_index_names(const char *path, char ***names, size_t *count);

#endif
