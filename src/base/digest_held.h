/* Digests of rows that ranks hold: the same on all of them, and the same as those of one process that holds all. */
#ifndef IRENEO_BASE_DIGEST_HELD_H
#define IRENEO_BASE_DIGEST_HELD_H

#include "base/digest.h"
#include "base/holding.h"

/* ireneo_digest_block over all rows, of `size` bytes each; rows are those held here. */
ireneo_error ireneo_digest_held(ireneo_digest *digest, const ireneo_holding *holding, const void *rows,
                                size_t size, int threads);

/* ireneo_digest_bytes over all rows: for few bytes a row, which all ranks get. */
ireneo_error ireneo_digest_gathered(ireneo_digest *digest, const ireneo_holding *holding, const void *rows,
                                    size_t size);

#endif
