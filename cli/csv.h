/* CSV of words (RFC 4180, with what spreadsheets make of it): fields between commas, tabs or semicolons,
 * quotes around fields that hold them, doubled quotes inside quotes, blanks around fields without meaning. */
#ifndef IRENEO_CLI_CSV_H
#define IRENEO_CLI_CSV_H

#include "report.h"

typedef struct csv_record {
    size_t line;  /* where it begins, from 1 */
    size_t first; /* its fields are fields[first] to fields[first + count - 1] */
    size_t count;
} csv_record;

typedef struct csv_table {
    char *text;    /* owned; fields point into it */
    char **fields; /* of all records */
    csv_record *records;
    size_t count; /* of records; empty lines are none */
} csv_table;

/* Takes the text, also when it fails; `path` is for sentences. The separator is the tab when the first line
 * holds one, or else the comma, or else the semicolon. Returns 0 or an exit code. */
int parse_csv(const command *self, const char *path, char *text, csv_table *table);

void free_csv(csv_table *table);

/* One field of a record; the caller has looked at count. */
const char *csv_field(const csv_table *table, size_t record, size_t field);

#endif
