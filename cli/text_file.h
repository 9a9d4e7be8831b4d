/* Text that people write: labels and lists of facts. */
#ifndef IRENEO_CLI_TEXT_FILE_H
#define IRENEO_CLI_TEXT_FILE_H

#include "report.h"

/* Reads a whole file of UTF-8 without its byte order mark; release *text with free(). Folders, pipes and
 * devices, zero bytes and other encodings are refused in one sentence. Returns 0 or an exit code. */
int read_text_file(const command *self, const char *path, char **text, size_t *length);

#endif
