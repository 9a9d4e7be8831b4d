/* One store into another, by SQLite's ATTACH. */
#include "lab/sweep/results_merge.h"
#include "lab/sweep/results_sql.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static ireneo_error attach(const results *store, const char *source) {
    sqlite3_stmt *statement = NULL;
    IRENEO_TRY(ireneo_sql_prepare(store, "ATTACH ?1 AS source", &statement));
    sqlite3_bind_text(statement, 1, source, -1, SQLITE_STATIC);
    ireneo_error failed = ireneo_sql_write(store, statement);
    sqlite3_finalize(statement);
    return failed;
}

/* Draws of the attached source; stores made before there were draws have none. */
static ireneo_error copy_draws(const results *store, sqlite3_int64 *different) {
    sqlite3_int64 tables, unequal;
    IRENEO_TRY(
        ireneo_sql_number(store, "SELECT count(*) FROM source.sqlite_master WHERE name = 'draws'", &tables));
    if (tables == 0) return IRENEO_OK;
    IRENEO_TRY(ireneo_sql_number(store,
                                 "SELECT count(*) FROM main.draws AS a JOIN source.draws AS b USING (key)"
                                 " WHERE a.value IS NOT b.value OR a.log_ratio IS NOT b.log_ratio",
                                 &unequal));
    *different += unequal;
    return ireneo_sql_run(store, "INSERT OR IGNORE INTO main.draws SELECT * FROM source.draws");
}

/* Copies inside one transaction: all of the source or nothing. */
static ireneo_error copy_attached(results *store, size_t *before, size_t *after, sqlite3_int64 *different) {
    IRENEO_TRY(ireneo_sql_run(store, "BEGIN IMMEDIATE"));
    ireneo_error failed = ireneo_results_count(store, before);
    if (failed == IRENEO_OK)
        failed = ireneo_sql_number(
            store,
            "SELECT count(*) FROM main.trials AS a JOIN source.trials AS b USING (key)"
            " WHERE a.status <> b.status OR a.recalled <> b.recalled OR a.loss IS NOT b.loss"
            " OR a.margin IS NOT b.margin",
            different);
    if (failed == IRENEO_OK)
        failed = ireneo_sql_run(store, "INSERT OR IGNORE INTO main.trials SELECT * FROM source.trials;"
                                       "INSERT OR IGNORE INTO main.series SELECT * FROM source.series;");
    if (failed == IRENEO_OK) failed = copy_draws(store, different);
    if (failed == IRENEO_OK) failed = ireneo_results_count(store, after);
    if (failed == IRENEO_OK) return ireneo_sql_run(store, "COMMIT");
    sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL); /* the first error is the one to tell */
    return failed;
}

/* A database in RAM, as sqlite3_serialize() gave it. SQLite frees the bytes. */
static ireneo_error attach_bytes(const results *store, const void *bytes, size_t size) {
    unsigned char *copy = sqlite3_malloc64(size);
    if (copy == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for what a rank sent");
    memcpy(copy, bytes, size);
    ireneo_error failed = attach(store, ":memory:");
    if (failed != IRENEO_OK) {
        sqlite3_free(copy);
        return failed;
    }
    int code = sqlite3_deserialize(store->database, "source", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                                   SQLITE_DESERIALIZE_FREEONCLOSE);
    return code == SQLITE_OK ? IRENEO_OK : ireneo_sql_failed(store, code);
}

ireneo_error ireneo_results_merge_bytes(results *store, const void *bytes, size_t size) {
    size_t before = 0, after = 0;
    sqlite3_int64 unequal = 0;
    ireneo_error failed = attach_bytes(store, bytes, size);
    if (failed == IRENEO_OK) failed = copy_attached(store, &before, &after, &unequal);
    sqlite3_exec(store->database, "DETACH source", NULL, NULL, NULL);
    return failed;
}

ireneo_error ireneo_results_merge(results *store, const char *source, size_t *added, size_t *different) {
    if (access(source, R_OK) != 0)
        return ireneo_fail(IRENEO_ERROR_IO, "%s cannot be read: %s", source, strerror(errno));
    results *other; /* opened once on its own, so that its faults are told under its name */
    IRENEO_TRY(ireneo_results_open_to_read(source, 10.0, &other));
    ireneo_results_close(other);
    size_t before = 0, after = 0;
    sqlite3_int64 unequal = 0;
    IRENEO_TRY(attach(store, source));
    ireneo_error failed = copy_attached(store, &before, &after, &unequal);
    sqlite3_exec(store->database, "DETACH source", NULL, NULL, NULL);
    if (failed != IRENEO_OK) return failed;
    *added = after - before;
    *different = (size_t)unequal;
    return IRENEO_OK;
}
