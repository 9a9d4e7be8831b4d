/* A stream into memory that tells when memory ran out: open_memstream of glibc loses what it has no room for, and neither
 * ferror nor fclose say so. */
#ifndef IRENEO_BASE_TEXT_STREAM_H
#define IRENEO_BASE_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct ireneo_text {
    char *bytes; /* NUL-terminated once something was written; release with free */
    size_t length, capacity;
    bool broken;
} ireneo_text;

/* NULL when there is no memory. The text must stay where it is until the stream is closed. */
FILE *ireneo_text_open(ireneo_text *text);

/* Closes the stream; false when not all of it is in the text. */
bool ireneo_text_close(FILE *stream, ireneo_text *text);

#endif
