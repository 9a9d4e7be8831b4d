/* What the files of the store share: the handle, and SQLite in our words. Only they include this. */
#ifndef IRENEO_LAB_SWEEP_RESULTS_SQL_H
#define IRENEO_LAB_SWEEP_RESULTS_SQL_H

#include "lab/sweep/results.h"

#include <sqlite3.h>
#include <stdbool.h>

struct results {
    sqlite3 *database;
    char *path;
    char host[256]; /* goes into every row */
    int lock;       /* of a part (parts.h), held while the store is open; -1: none */
    bool news;      /* rows came that ireneo_results_share() has not told the other ranks */
    sqlite3_stmt *find, *add, *find_draw, *add_draw, *find_series, *add_series;
};

/* One sentence and the right code for what SQLite reports. */
ireneo_error ireneo_sql_failed(const results *store, int code);

ireneo_error ireneo_sql_run(const results *store, const char *sql);
ireneo_error ireneo_sql_prepare(const results *store, const char *sql, sqlite3_stmt **statement);

/* The first column of a one-row answer. */
ireneo_error ireneo_sql_number(const results *store, const char *sql, sqlite3_int64 *number);

/* Runs a prepared statement that answers nothing, and makes it ready for the next time. */
ireneo_error ireneo_sql_write(const results *store, sqlite3_stmt *statement);

/* NULL stands for NaN. */
double ireneo_sql_column_real(sqlite3_stmt *row, int column);
void ireneo_sql_bind_real(sqlite3_stmt *statement, int place, double value);
void ireneo_sql_bind_text(sqlite3_stmt *statement, int place, const char *text);

/* Who made a row and when: three columns from `place` on. */
void ireneo_sql_bind_origin(const results *store, sqlite3_stmt *add, int place);

#endif
