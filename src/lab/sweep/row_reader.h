/* Rows of a CSV file, by the names of their columns. Lines that begin with # and empty lines are passed over. */
#ifndef IRENEO_LAB_SWEEP_ROW_READER_H
#define IRENEO_LAB_SWEEP_ROW_READER_H

#include "base/error.h"
#include "base/file_view.h"

#include <stdbool.h>

enum { ROW_MOST_COLUMNS = 32 };

typedef struct row_reader {
    const char *path;
    ireneo_file_view file;
    char *text, *rest; /* own copy, cut into fields as it is read */
    size_t line;       /* of the file, from 1: the row's */
    size_t columns;
    char *names[ROW_MOST_COLUMNS], *fields[ROW_MOST_COLUMNS];
} row_reader;

/* Reads the heading. IRENEO_ERROR_DATA: there is none. On failure the reader may be closed all the same. */
ireneo_error ireneo_rows_open(const char *path, row_reader *reader);
void ireneo_rows_close(row_reader *reader);

/* The same for text (count bytes) that came from elsewhere. */
ireneo_error ireneo_rows_begin(const char *path, const char *text, size_t count, row_reader *reader);

/* *found: whether there is another row, which is then in the fields. */
ireneo_error ireneo_rows_next(row_reader *reader, bool *found);

bool ireneo_rows_has(const row_reader *reader, const char *column);

/* A field of the row; "" where the file has no such column. */
const char *ireneo_rows_text(const row_reader *reader, const char *column);

/* The field as a whole number up to `most`, or as a number: "" and "nan" are NaN. IRENEO_ERROR_DATA names file, line and
 * column. */
ireneo_error ireneo_rows_size(const row_reader *reader, const char *column, uint64_t most, uint64_t *value);
ireneo_error ireneo_rows_number(const row_reader *reader, const char *column, double *value);

#endif
