/* Archives of numpy.savez and numpy.savez_compressed: a zip file whose members are .npy files. */
#ifndef IRENEO_BASE_NPZ_H
#define IRENEO_BASE_NPZ_H

#include "base/source.h"

/* Whether these bytes begin a zip file. */
bool ireneo_npz_recognise(const unsigned char *bytes, size_t count);

/* Opens a member of source->file: `name`, with or without .npy, or the only .npy there is when name is NULL. */
ireneo_error ireneo_npz_open(const char *name, ireneo_source *source);

/* The next bytes of the member's elements. */
ireneo_error ireneo_npz_read(ireneo_source *source, void *buffer, size_t bytes);

/* After the last element: whether the archive's checksum is right. */
ireneo_error ireneo_npz_finish(ireneo_source *source);

void ireneo_npz_close(ireneo_source *source);

#endif
