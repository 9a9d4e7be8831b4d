/* Errors, statements and columns of SQLite. */
#include "lab/sweep/results_sql.h"

#include <math.h>
#include <time.h>

ireneo_error ireneo_sql_failed(const results *store, int code) {
    const char *path = store->path, *reason = sqlite3_errmsg(store->database);
    switch (code & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return ireneo_fail(IRENEO_ERROR_DATA, "%s is damaged or not a store of results (%s)", path, reason);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return ireneo_fail(IRENEO_ERROR_IO,
                           "%s is locked by another process; run again when that has finished", path);
    case SQLITE_FULL:
        return ireneo_fail(IRENEO_ERROR_IO,
                           "%s: no space left on the disk; finished trials are kept, make room and run again",
                           path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return ireneo_fail(IRENEO_ERROR_IO, "%s cannot be written (%s)", path, reason);
    case SQLITE_CONSTRAINT: /* columns are NULL only when there was no memory for their text */
    case SQLITE_NOMEM:
        return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory to use %s", path);
    default:
        return ireneo_fail(IRENEO_ERROR_IO, "%s: %s", path, reason);
    }
}

ireneo_error ireneo_sql_run(const results *store, const char *sql) {
    int code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? IRENEO_OK : ireneo_sql_failed(store, code);
}

ireneo_error ireneo_sql_prepare(const results *store, const char *sql, sqlite3_stmt **statement) {
    int code = sqlite3_prepare_v2(store->database, sql, -1, statement, NULL);
    return code == SQLITE_OK ? IRENEO_OK : ireneo_sql_failed(store, code);
}

ireneo_error ireneo_sql_number(const results *store, const char *sql, sqlite3_int64 *number) {
    sqlite3_stmt *statement = NULL;
    IRENEO_TRY(ireneo_sql_prepare(store, sql, &statement));
    int code = sqlite3_step(statement);
    *number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? IRENEO_OK : ireneo_sql_failed(store, code);
}

double ireneo_sql_column_real(sqlite3_stmt *row, int column) {
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN : sqlite3_column_double(row, column);
}

void ireneo_sql_bind_real(sqlite3_stmt *statement, int place, double value) {
    if (isnan(value))
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_double(statement, place, value);
}

void ireneo_sql_bind_text(sqlite3_stmt *statement, int place, const char *text) {
    sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

ireneo_error ireneo_sql_write(const results *store, sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    ireneo_error failed = code == SQLITE_DONE ? IRENEO_OK : ireneo_sql_failed(store, code);
    sqlite3_reset(statement);
    return failed;
}

void ireneo_sql_bind_origin(const results *store, sqlite3_stmt *add, int place) {
    char finished[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) strftime(finished, sizeof finished, "%Y-%m-%dT%H:%M:%SZ", &utc);
    ireneo_sql_bind_text(add, place, ireneo_version());
    ireneo_sql_bind_text(add, place + 1, store->host);
    ireneo_sql_bind_text(add, place + 2, finished);
}
