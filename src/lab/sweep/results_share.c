/* Rows go from rank to rank as databases in RAM that hold only what is new: what was known at the last time is listed in
 * temporary tables. */
#include "lab/sweep/results_share.h"
#include "base/ram.h"
#include "base/ranks.h"
#include "lab/sweep/parts.h"
#include "lab/sweep/results_merge.h"
#include "lab/sweep/results_sql.h"

#include <string.h>

/* From here on these rows are no news. */
static ireneo_error mark_known(results *store) {
    store->news = false;
    return ireneo_sql_run(
        store, "PRAGMA temp_store = MEMORY;"
               "CREATE TEMP TABLE IF NOT EXISTS known_trials (key TEXT PRIMARY KEY) WITHOUT ROWID;"
               "CREATE TEMP TABLE IF NOT EXISTS known_draws (key TEXT PRIMARY KEY) WITHOUT ROWID;"
               "CREATE TEMP TABLE IF NOT EXISTS known_series (name TEXT PRIMARY KEY) WITHOUT ROWID;"
               "INSERT OR IGNORE INTO known_trials SELECT key FROM main.trials;"
               "INSERT OR IGNORE INTO known_draws SELECT key FROM main.draws;"
               "INSERT OR IGNORE INTO known_series SELECT name FROM main.series;");
}

/* Copies rows to a database in RAM and hands its bytes over; release with sqlite3_free. */
static ireneo_error export_rows(const results *store, const char *copy, unsigned char **bytes, size_t *size) {
    sqlite3_int64 length = 0;
    IRENEO_TRY(ireneo_sql_run(store, "ATTACH ':memory:' AS sent"));
    ireneo_error failed = ireneo_sql_run(store, copy);
    if (failed == IRENEO_OK) {
        *bytes = sqlite3_serialize(store->database, "sent", &length, 0);
        if (*bytes == NULL)
            failed = ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for the results of the ranks");
    }
    *size = (size_t)length;
    sqlite3_exec(store->database, "DETACH sent", NULL, NULL, NULL);
    return failed;
}

static ireneo_error export_all(const results *store, unsigned char **bytes, size_t *size) {
    return export_rows(store,
                       "CREATE TABLE sent.trials AS SELECT * FROM main.trials;"
                       "CREATE TABLE sent.draws AS SELECT * FROM main.draws;"
                       "CREATE TABLE sent.series AS SELECT * FROM main.series;",
                       bytes, size);
}

static ireneo_error export_news(const results *store, unsigned char **bytes, size_t *size) {
    return export_rows(store,
                       "CREATE TABLE sent.trials AS SELECT * FROM main.trials"
                       " WHERE key NOT IN (SELECT key FROM temp.known_trials);"
                       "CREATE TABLE sent.draws AS SELECT * FROM main.draws"
                       " WHERE key NOT IN (SELECT key FROM temp.known_draws);"
                       "CREATE TABLE sent.series AS SELECT * FROM main.series"
                       " WHERE name NOT IN (SELECT name FROM temp.known_series);",
                       bytes, size);
}

/* Rank 0's bytes (*size) into every other rank's store. */
static ireneo_error spread(results *store, unsigned char *bytes, size_t size) {
    ireneo_ranks *world = ireneo_ranks_world();
    uint64_t length = size;
    unsigned char *received = NULL;
    ireneo_ranks_broadcast(world, 0, &length, sizeof length);
    if (length == 0) return IRENEO_OK;
    ireneo_error failed = IRENEO_OK;
    if (world->rank > 0) failed = IRENEO_ALLOCATE(&received, (size_t)length, "results of other ranks");
    failed = ireneo_ranks_agree(world, failed);
    if (failed == IRENEO_OK) {
        ireneo_ranks_broadcast(world, 0, world->rank > 0 ? received : bytes, (size_t)length);
        if (world->rank > 0) failed = ireneo_results_merge_bytes(store, received, (size_t)length);
        failed = ireneo_ranks_agree(world, failed);
    }
    free(received);
    return failed;
}

/* The new rows of all ranks into rank 0's store, in the order of ranks. */
static ireneo_error collect(results *store, const unsigned char *mine, size_t size) {
    ireneo_ranks *world = ireneo_ranks_world();
    uint64_t own = size;
    void *all = NULL, *sizes = NULL;
    size_t total = 0, count = 0, at = 0;
    ireneo_error failed = ireneo_ranks_gather(world, 0, &own, 1, sizeof own, &sizes, &count);
    if (failed == IRENEO_OK) failed = ireneo_ranks_gather(world, 0, mine, size, 1, &all, &total);
    for (size_t k = 0; failed == IRENEO_OK && k < count; k++) {
        size_t length = (size_t)((const uint64_t *)sizes)[k];
        if (length > 0) failed = ireneo_results_merge_bytes(store, (const char *)all + at, length);
        at += length;
    }
    free(sizes);
    free(all);
    return ireneo_ranks_agree(world, failed);
}

ireneo_error ireneo_results_share(results *store) {
    ireneo_ranks *world = ireneo_ranks_world();
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (world->count == 1) return IRENEO_OK;
    if (!ireneo_ranks_any(world, store->news)) return IRENEO_OK;
    ireneo_error failed = world->rank > 0 && store->news ? export_news(store, &bytes, &size) : IRENEO_OK;
    failed = ireneo_ranks_agree(world, failed);
    if (failed == IRENEO_OK) failed = collect(store, bytes, size);
    sqlite3_free(bytes);
    bytes = NULL;
    size = 0;
    if (failed == IRENEO_OK) {
        if (world->rank == 0) failed = export_news(store, &bytes, &size);
        failed = ireneo_ranks_agree(world, failed);
    }
    if (failed == IRENEO_OK) failed = spread(store, bytes, size);
    sqlite3_free(bytes);
    if (failed == IRENEO_OK) failed = ireneo_ranks_agree(world, mark_known(store));
    return failed;
}

/* Rank 0 opens the file, the others their parts. */
static ireneo_error open_mine(const char *path, double wait_seconds, results **store) {
    ireneo_ranks *world = ireneo_ranks_world();
    ireneo_error failed = world->rank == 0 ? ireneo_parts_gather(path, wait_seconds) : IRENEO_OK;
    failed = ireneo_ranks_agree(world, failed);
    if (failed != IRENEO_OK) return failed;
    failed = world->rank == 0 ? ireneo_results_open(path, wait_seconds, store)
                              : ireneo_part_open(path, world->rank, wait_seconds, store);
    return ireneo_ranks_agree(world, failed);
}

ireneo_error ireneo_results_open_shared(const char *path, double wait_seconds, results **store) {
    ireneo_ranks *world = ireneo_ranks_world();
    unsigned char *bytes = NULL;
    size_t size = 0;
    *store = NULL;
    ireneo_error failed = open_mine(path, wait_seconds, store);
    if (failed == IRENEO_OK && world->count > 1) {
        if (world->rank == 0) failed = export_all(*store, &bytes, &size);
        failed = ireneo_ranks_agree(world, failed);
        if (failed == IRENEO_OK) failed = spread(*store, bytes, size);
        if (failed == IRENEO_OK) failed = ireneo_ranks_agree(world, mark_known(*store));
        sqlite3_free(bytes);
    }
    if (failed != IRENEO_OK) {
        ireneo_results_close_shared(*store);
        *store = NULL;
    }
    return failed;
}

void ireneo_results_close_shared(results *store) {
    if (store != NULL && store->lock >= 0 && !store->news)
        ireneo_part_discard(store);
    else
        ireneo_results_close(store);
}
