/* Every command knows its table only while it runs: each is asked for help, and what it would print is kept. */
#include "tables.h"

#include "commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLES = 128 };

typedef struct collection {
    command_table *tables;
    size_t count;
    bool failed;
} collection;

static option *copy_of(const option *options) {
    size_t count = 1;
    for (const option *o = options; o->name != NULL; o++) count++;
    option *copy = malloc(count * sizeof *copy);
    if (copy != NULL) memcpy(copy, options, count * sizeof *copy);
    return copy;
}

static void collect(void *context, const command *self, const option *options) {
    collection *c = context;
    const char *blank = strchr(self->name, ' ');
    if (c->count + 1 == MOST_TABLES) {
        c->failed = true;
        return;
    }
    command_table *table = &c->tables[c->count++];
    table->self = self;
    table->name = blank != NULL ? blank + 1 : self->name;
    if (blank != NULL)
        snprintf(table->group, sizeof table->group, "%.*s", (int)(blank - self->name), self->name);
    if (options == NULL) return;
    table->options = copy_of(options);
    if (table->options == NULL) c->failed = true;
}

command_table *read_tables(void) {
    collection c = {.tables = calloc(MOST_TABLES, sizeof *c.tables)};
    char help[] = "--help", *words[] = {help};
    if (c.tables == NULL) return NULL;
    set_table_reader(collect, &c);
    for (const command *const *next = all_commands; *next != NULL; next++) (*next)->run(*next, 1, words);
    set_table_reader(NULL, NULL);
    if (!c.failed) return c.tables;
    free_tables(c.tables);
    return NULL;
}

void free_tables(command_table *tables) {
    if (tables == NULL) return;
    for (command_table *t = tables; t->self != NULL; t++) free(t->options);
    free(tables);
}
