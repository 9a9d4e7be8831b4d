/* What the manual says beyond the option tables: one file a command, docs/manual/NAME.man, in the language of manual
 * pages, divided by lines such as "@option --rank". docs/manual/README.md explains them. */
#ifndef IRENEO_CLI_MANUAL_PROSE_H
#define IRENEO_CLI_MANUAL_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { MOST_PARTS = 128 };

typedef struct prose_part {
    const char *name; /* "description", "option --rank" */
    const char *text; /* to the next part */
    bool used;
} prose_part;

typedef struct prose {
    char *bytes; /* the file, cut into lines of names and texts; NULL when there is none */
    prose_part parts[MOST_PARTS];
    size_t count;
} prose;

/* Reads a file; one that does not exist has no parts. False after a sentence on stderr. */
bool prose_read(prose *p, const char *path);
void prose_free(prose *p);

/* The text of a part, or NULL; it counts as used. */
const char *prose_text(prose *p, const char *name);

/* Says on stderr which parts nobody asked for; false when there are any. */
bool prose_all_used(const prose *p, const char *path);

#endif
