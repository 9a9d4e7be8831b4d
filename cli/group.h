/* A command that is a group of commands: "dense" of "dense phases". */
#ifndef IRENEO_CLI_GROUP_H
#define IRENEO_CLI_GROUP_H

#include "options.h"

/* Finds the command that argv[0] names and hands over; prints `about` and the list when none is given. The names in
 * `commands`, which end with NULL, begin with that of the group. */
int run_group(const command *self, const char *about, const command *const *commands, int argc, char **argv);

#endif
