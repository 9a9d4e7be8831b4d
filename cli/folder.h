/* Output folders. */
#ifndef IRENEO_CLI_FOLDER_H
#define IRENEO_CLI_FOLDER_H

#include "options.h"

/* Makes a folder and the folders above it. Returns 0 or an exit code after one sentence. */
int make_folder(const command *self, const char *path);

/* Tells before the work, not after it, that its result could not be written: no folder, no permission, or a
 * folder in its place. Returns 0 or an exit code after one sentence. NULL is fine. */
int check_output(const command *self, const char *path);

#endif
