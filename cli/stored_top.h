/* For how many best answers a memory was stored. */
#ifndef IRENEO_CLI_STORED_TOP_H
#define IRENEO_CLI_STORED_TOP_H

#include "report.h"

/* What the file of a memory says; 1 when it says nothing. Returns 0 or an exit code. */
int find_stored_top(const command *self, const char *path, size_t *top);

#endif
