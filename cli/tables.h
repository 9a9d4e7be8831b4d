/* The option tables of all commands, side by side: what completion and manual pages are made of. */
#ifndef IRENEO_CLI_TABLES_H
#define IRENEO_CLI_TABLES_H

#include "options.h"

typedef struct command_table {
    const command *self; /* NULL ends a list */
    option *options;  /* a copy, whose values must not be touched; NULL of a group, whose commands follow */
    char group[32];   /* "dense" of "dense phases"; "" of a command in no group */
    const char *name; /* "phases" of it; else the whole name */
} command_table;

/* In the order of --help; NULL when there is no memory. */
command_table *read_tables(void);
void free_tables(command_table *tables);

#endif
