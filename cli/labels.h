/* Labels: the lines of a text file. */
#ifndef IRENEO_CLI_LABELS_H
#define IRENEO_CLI_LABELS_H

#include "options.h"

typedef struct label_file {
    char *text;
    char **lines; /* (count), into text, without their ends */
    size_t count;
} label_file;

/* Returns 0 or an exit code; nothing is to be freed after a failure. */
int load_labels(const command *self, const char *path, label_file *labels);

/* The same, one for each of `count` things called `what` ("values of x.npy"); blank lines at the end are no labels, and
 * any other number of them is refused. */
int load_labels_of(const command *self, const char *path, size_t count, const char *what, label_file *labels);

void free_labels(label_file *labels);
const char *label_of(const label_file *labels, int64_t index); /* NULL when there is none */

#endif
