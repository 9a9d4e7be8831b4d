/* CSV as our own programs write it: fields between commas, in quotes where they hold one. */
#include "lab/sweep/row_reader.h"
#include "base/ram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cuts the next line off; NULL at the end. */
static char *next_line(row_reader *reader) {
    char *line = reader->rest;
    if (line == NULL || *line == '\0') return NULL;
    char *end = line + strcspn(line, "\n");
    reader->rest = *end != '\0' ? end + 1 : end;
    if (end > line && end[-1] == '\r') end[-1] = '\0';
    *end = '\0';
    reader->line++;
    return line;
}

/* The next line that says something. */
static char *next_words(row_reader *reader) {
    char *line;
    do line = next_line(reader);
    while (line != NULL && (*line == '\0' || *line == '#'));
    return line;
}

/* Cuts one field off the line, without its quotes; *line is NULL after the last. False: a quote that does not end. */
static bool cut_field(char **line, char **field) {
    char *from = *line, *to = *line;
    *field = *line;
    if (*from != '"') {
        from += strcspn(from, ",");
        *line = *from == ',' ? from + 1 : NULL;
        *from = '\0';
        return true;
    }
    for (from++; *from != '\0'; *to++ = *from++) {
        if (*from != '"') continue;
        if (from[1] != '"') break;
        from++; /* a doubled quote is one */
    }
    if (*from != '"' || (from[1] != ',' && from[1] != '\0')) return false;
    *line = from[1] == ',' ? from + 2 : NULL;
    *to = '\0';
    return true;
}

static ireneo_error cut_line(const row_reader *reader, char *line, char **fields, size_t *count) {
    for (*count = 0; line != NULL; ++*count) {
        if (*count == ROW_MOST_COLUMNS)
            return ireneo_fail(IRENEO_ERROR_DATA, "%s, line %zu: more than %d columns", reader->path,
                               reader->line, ROW_MOST_COLUMNS);
        if (!cut_field(&line, &fields[*count]))
            return ireneo_fail(IRENEO_ERROR_DATA, "%s, line %zu: a quote that does not end", reader->path,
                               reader->line);
    }
    return IRENEO_OK;
}

ireneo_error ireneo_rows_begin(const char *path, const char *text, size_t count, row_reader *reader) {
    reader->path = path;
    IRENEO_TRY(IRENEO_ALLOCATE(&reader->text, count + 1, "a table of rows"));
    memcpy(reader->text, text, count);
    reader->text[count] = '\0';
    reader->rest = reader->text;
    char *heading = next_words(reader);
    if (heading == NULL) return ireneo_fail(IRENEO_ERROR_DATA, "%s is empty", path);
    return cut_line(reader, heading, reader->names, &reader->columns);
}

ireneo_error ireneo_rows_open(const char *path, row_reader *reader) {
    memset(reader, 0, sizeof *reader);
    IRENEO_TRY(ireneo_file_view_open(path, &reader->file));
    return ireneo_rows_begin(path, (const char *)reader->file.bytes, reader->file.count, reader);
}

void ireneo_rows_close(row_reader *reader) {
    ireneo_file_view_close(&reader->file);
    free(reader->text);
    memset(reader, 0, sizeof *reader);
}

ireneo_error ireneo_rows_next(row_reader *reader, bool *found) {
    char *line = next_words(reader);
    size_t count;
    *found = line != NULL;
    if (line == NULL) return IRENEO_OK;
    IRENEO_TRY(cut_line(reader, line, reader->fields, &count));
    if (count != reader->columns)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s, line %zu: %zu fields under %zu names", reader->path,
                           reader->line, count, reader->columns);
    return IRENEO_OK;
}

static size_t column_of(const row_reader *reader, const char *column) {
    size_t k = 0;
    while (k < reader->columns && strcmp(reader->names[k], column) != 0) k++;
    return k;
}

bool ireneo_rows_has(const row_reader *reader, const char *column) {
    return column_of(reader, column) < reader->columns;
}

const char *ireneo_rows_text(const row_reader *reader, const char *column) {
    size_t k = column_of(reader, column);
    return k < reader->columns ? reader->fields[k] : "";
}

static ireneo_error refuse(const row_reader *reader, const char *column, const char *what) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s, line %zu: %s is not %s", reader->path, reader->line, column,
                       what);
}

ireneo_error ireneo_rows_size(const row_reader *reader, const char *column, uint64_t most, uint64_t *value) {
    const char *text = ireneo_rows_text(reader, column);
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number > most)
        return refuse(reader, column, "a whole number in its range");
    *value = number;
    return IRENEO_OK;
}

ireneo_error ireneo_rows_number(const row_reader *reader, const char *column, double *value) {
    const char *text = ireneo_rows_text(reader, column);
    char *end;
    *value = NAN;
    if (*text == '\0') return IRENEO_OK;
    *value = strtod(text, &end);
    return *end == '\0' ? IRENEO_OK : refuse(reader, column, "a number");
}
