/* Whether the ranks of a job were started alike, and see the same files: asked before the work. All ranks call these at the
 * same place; alone they are always content. */
#ifndef IRENEO_CLI_ALIKE_H
#define IRENEO_CLI_ALIKE_H

#include "options.h"

/* Refuses ranks of another version, processor or BLAS, which round differently; other words on the command line; and
 * files named there that differ: of large ones, pieces are compared. Returns 0 or an exit code after one sentence. */
int check_alike(const command *self, int argc, char **argv);

/* Refuses a file that rank 0 would write where other nodes do not see it: it would be lost with the node, and no other
 * could go on from it. */
int check_seen(const command *self, const char *path);

#endif
