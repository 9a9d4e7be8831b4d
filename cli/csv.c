/* The CSV parser works in place: fields are ended by NULs in the text they came from. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

typedef struct csv_cursor {
    const char *path;
    char *at;
    size_t line;
    char separator;
} csv_cursor;

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static bool at_end_of_line(const char *at) {
    return *at == '\0' || *at == '\n' || (at[0] == '\r' && (at[1] == '\n' || at[1] == '\0'));
}

/* The separator of the first line, outside quotes. */
static char find_separator(const char *text) {
    bool quoted = false, tab = false, comma = false, semicolon = false;
    for (; *text != '\0' && (quoted || *text != '\n'); text++) {
        if (*text == '"') quoted = !quoted;
        if (quoted) continue;
        tab |= *text == '\t';
        comma |= *text == ',';
        semicolon |= *text == ';';
    }
    return tab ? '\t' : comma || !semicolon ? ',' : ';';
}

/* A field in quotes; the cursor is behind the opening one. Doubled quotes become one. */
static int take_quoted(const command *self, csv_cursor *c, char **field) {
    size_t opened = c->line;
    char *write = c->at;
    *field = write;
    for (; *c->at != '\0'; c->at++) {
        if (*c->at == '\n') c->line++;
        if (*c->at == '"' && c->at[1] != '"') break;
        if (*c->at == '"') c->at++;
        *write++ = *c->at;
    }
    if (*c->at == '\0')
        return complain(self, EXIT_DATA, "%s: line %zu: a quoted field is not closed: \"%.*s", c->path,
                        opened, (int)strcspn(*field, "\n"), *field);
    c->at++;
    *write = '\0';
    while (is_blank(*c->at) && *c->at != c->separator && !at_end_of_line(c->at)) c->at++;
    if (*c->at == c->separator || at_end_of_line(c->at)) return 0;
    return complain(self, EXIT_DATA, "%s: line %zu: something follows the quoted field \"%.40s\"", c->path,
                    c->line, *field);
}

/* A field without quotes, without the blanks around it; its end is returned and not yet marked. */
static char *take_plain(csv_cursor *c, char **field) {
    *field = c->at;
    while (*c->at != c->separator && !at_end_of_line(c->at)) c->at++;
    char *end = c->at;
    while (end > *field && is_blank(end[-1])) end--;
    return end;
}

/* One field and the separator behind it; *more says whether another field follows in this record. */
static int take_field(const command *self, csv_cursor *c, char **field, bool *more) {
    char *end = NULL;
    while (is_blank(*c->at) && *c->at != c->separator && !at_end_of_line(c->at)) c->at++;
    if (*c->at == '"') {
        c->at++;
        int outcome = take_quoted(self, c, field);
        if (outcome != 0) return outcome;
    } else
        end = take_plain(c, field);
    *more = *c->at == c->separator && *c->at != '\0';
    if (*more) c->at++;
    while (!*more && *c->at == '\r') c->at++;
    if (!*more && *c->at == '\n') c->at++, c->line++;
    if (end != NULL) *end = '\0';
    return 0;
}

/* No more fields than separators and ends of lines, no more records than lines. */
static int allocate(const command *self, const char *path, csv_table *table) {
    size_t fields = 2, lines = 2;
    for (const char *c = table->text; *c != '\0'; c++) {
        lines += *c == '\n';
        fields += strchr(",;\t\n", *c) != NULL;
    }
    table->fields = calloc(fields, sizeof *table->fields);
    table->records = calloc(lines, sizeof *table->records);
    if (table->fields != NULL && table->records != NULL) return 0;
    return complain(self, EXIT_MACHINE, "not enough memory for %s", path);
}

static int parse_records(const command *self, csv_cursor *c, csv_table *table) {
    size_t used = 0;
    while (*c->at != '\0') {
        csv_record record = {.line = c->line, .first = used};
        for (bool more = true; more; record.count++) {
            int outcome = take_field(self, c, &table->fields[used++], &more);
            if (outcome != 0) return outcome;
        }
        if (record.count == 1 && table->fields[record.first][0] == '\0') /* an empty line */
            used = record.first;
        else
            table->records[table->count++] = record;
    }
    return 0;
}

int parse_csv(const command *self, const char *path, char *text, csv_table *table) {
    *table = (csv_table){.text = text};
    csv_cursor cursor = {path, text, 1, find_separator(text)};
    int outcome = allocate(self, path, table);
    if (outcome == 0) outcome = parse_records(self, &cursor, table);
    if (outcome != 0) free_csv(table);
    return outcome;
}

void free_csv(csv_table *table) {
    free(table->text);
    free(table->fields);
    free(table->records);
    *table = (csv_table){0};
}

const char *csv_field(const csv_table *table, size_t record, size_t field) {
    return table->fields[table->records[record].first + field];
}
