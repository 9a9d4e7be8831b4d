/* Sealed .safetensors files: the metadata entry "checksum" holds the BLAKE2b digest of the whole file, read with zeros in
 * the place of the digest itself. A flipped bit anywhere, header, metadata or data, breaks the seal. */
#ifndef IRENEO_BASE_SEAL_H
#define IRENEO_BASE_SEAL_H

#include "base/error.h"

#include <stdbool.h>

/* ireneo_save_safetensors with a seal. */
ireneo_error ireneo_save_sealed(const char *path, const ireneo_tensor *tensors, size_t count,
                                const char *const *metadata, size_t pairs);

/* Fails when the seal of a file is broken. *sealed tells whether it has one. */
ireneo_error ireneo_check_seal(const char *path, bool *sealed);

#endif
