/* The rows of the table of trials, as they are. */
#include "lab/sweep/results_export.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

static const char COLUMNS[] =
    "problem,solver,dim_in,dim_out,rank,seed,facts,candidates,load,status,recalled,accuracy,"
    "loss,margin,norm_bound,scans,iterations,seconds,version,host,finished,key";

static void write_text(FILE *stream, const char *text) {
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"') fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void write_row(FILE *stream, sqlite3_stmt *row) {
    int count = sqlite3_column_count(row);
    for (int k = 0; k < count; k++) {
        if (k > 0) fputc(',', stream);
        if (sqlite3_column_type(row, k) == SQLITE_FLOAT)
            fprintf(stream, "%.10g", sqlite3_column_double(row, k));
        else if (sqlite3_column_type(row, k) != SQLITE_NULL)
            write_text(stream, (const char *)sqlite3_column_text(row, k));
    }
    fputc('\n', stream);
}

static ireneo_error export_from(sqlite3 *database, const char *path, FILE *stream, size_t *rows) {
    char sql[512];
    sqlite3_stmt *statement = NULL;
    snprintf(sql, sizeof sql,
             "SELECT %s FROM trials ORDER BY problem, solver, dim_in, dim_out, rank, facts, candidates, "
             "length(seed), seed, key",
             COLUMNS);
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s is damaged or not a store of results (%s)", path,
                           sqlite3_errmsg(database));
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW || code == SQLITE_DONE) fprintf(stream, "%s\n", COLUMNS);
    for (; code == SQLITE_ROW; code = sqlite3_step(statement), ++*rows) write_row(stream, statement);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? IRENEO_OK
                               : ireneo_fail(IRENEO_ERROR_IO, "%s: %s", path, sqlite3_errmsg(database));
}

ireneo_error ireneo_results_export(const char *path, double wait_seconds, FILE *stream, size_t *rows) {
    *rows = 0;
    if (access(path, R_OK) != 0)
        return ireneo_fail(IRENEO_ERROR_IO, "%s cannot be read: %s", path, strerror(errno));
    sqlite3 *database = NULL;
    int code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    ireneo_error failed =
        code == SQLITE_OK ? IRENEO_OK : ireneo_fail(IRENEO_ERROR_IO, "%s: %s", path, sqlite3_errstr(code));
    if (failed == IRENEO_OK) {
        sqlite3_busy_timeout(database, (int)(1000.0 * wait_seconds));
        failed = export_from(database, path, stream, rows);
    }
    sqlite3_close(database);
    return failed;
}
