/* How often each candidate is asked for, from a file of targets. */
#ifndef IRENEO_CLI_TARGET_FREQUENCIES_H
#define IRENEO_CLI_TARGET_FREQUENCIES_H

#include "report.h"

/* Counts of the targets in a file, (candidates) numbers to be freed, and how many facts they are. Returns
 * 0 or an exit code. */
int load_frequencies(const command *self, const char *path, double candidates, double **frequencies,
                     double *facts);

#endif
