/* The bytes of a whole file in RAM, for readers of text. */
#ifndef IRENEO_BASE_FILE_VIEW_H
#define IRENEO_BASE_FILE_VIEW_H

#include "base/error.h"

typedef struct ireneo_file_view {
    const unsigned char *bytes; /* with a NUL behind them */
    size_t count;
    unsigned char *block; /* what close releases */
} ireneo_file_view;

/* On failure the view is empty and may be closed all the same. */
ireneo_error ireneo_file_view_open(const char *path, ireneo_file_view *view);

void ireneo_file_view_close(ireneo_file_view *view);

#endif
