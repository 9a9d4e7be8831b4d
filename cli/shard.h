/* --shard I/N, for commands whose work can be cut in parts. */
#ifndef IRENEO_CLI_SHARD_H
#define IRENEO_CLI_SHARD_H

#include "options.h"

/* "2/8" as index 1 of 8; NULL is 0 of 1. Returns 0, or an exit code after one sentence on stderr. */
int parse_shard(const command *self, const char *text, size_t *index, size_t *count);

#endif
