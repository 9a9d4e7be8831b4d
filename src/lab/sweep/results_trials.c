/* Trials as rows. */
#include "lab/sweep/results_trials.h"
#include "lab/sweep/results_sql.h"

#include <stdio.h>
#include <string.h>

/* False when there was no memory for the status, which is never NULL. */
static bool read_result(sqlite3_stmt *row, trial_result *result) {
    static const ireneo_status all[] = {IRENEO_STATUS_STORED, IRENEO_STATUS_IMPOSSIBLE, IRENEO_STATUS_PARTIAL,
                                        IRENEO_STATUS_UNDECIDED};
    const char *status = (const char *)sqlite3_column_text(row, 0);
    memset(result, 0, sizeof *result);
    if (status == NULL) return false;
    result->status = IRENEO_STATUS_UNDECIDED;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(status, ireneo_status_name(all[i])) == 0) result->status = all[i];
    result->failed = strcmp(status, "failed") == 0;
    result->recalled = (size_t)sqlite3_column_int64(row, 1);
    result->accuracy = sqlite3_column_double(row, 2);
    result->loss = ireneo_sql_column_real(row, 3);
    result->margin = ireneo_sql_column_real(row, 4);
    result->norm_bound = ireneo_sql_column_real(row, 5);
    result->scans = (size_t)sqlite3_column_int64(row, 6);
    result->iterations = (size_t)sqlite3_column_int64(row, 7);
    result->seconds = sqlite3_column_double(row, 8);
    return true;
}

ireneo_error ireneo_results_find(results *store, const trial *t, bool *found, trial_result *result) {
    char key[TRIAL_KEY_SIZE];
    ireneo_trial_key(t, key);
    sqlite3_bind_text(store->find, 1, key, -1, SQLITE_STATIC);
    int code = sqlite3_step(store->find);
    *found = code == SQLITE_ROW;
    if (*found && !read_result(store->find, result)) code = SQLITE_NOMEM;
    ireneo_error failed =
        code == SQLITE_ROW || code == SQLITE_DONE ? IRENEO_OK : ireneo_sql_failed(store, code);
    sqlite3_reset(store->find);
    return failed;
}

static void bind_trial(sqlite3_stmt *add, const trial *t) {
    char key[TRIAL_KEY_SIZE], seed[24];
    ireneo_trial_key(t, key);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
    ireneo_sql_bind_text(add, 1, key);
    ireneo_sql_bind_text(add, 2, ireneo_trial_problem_name(t->problem));
    ireneo_sql_bind_text(add, 3, ireneo_trial_solver_name(t->solver));
    sqlite3_bind_int64(add, 4, (sqlite3_int64)t->dim_in);
    sqlite3_bind_int64(add, 5, (sqlite3_int64)t->dim_out);
    sqlite3_bind_int64(add, 6, (sqlite3_int64)t->rank);
    sqlite3_bind_int64(add, 7, (sqlite3_int64)t->facts);
    sqlite3_bind_int64(add, 8, (sqlite3_int64)t->candidates);
    ireneo_sql_bind_text(add, 9, seed);
    sqlite3_bind_double(add, 10, ireneo_trial_load(t));
}

static void bind_result(sqlite3_stmt *add, const trial_result *result) {
    ireneo_sql_bind_text(add, 11, result->failed ? "failed" : ireneo_status_name(result->status));
    sqlite3_bind_int64(add, 12, (sqlite3_int64)result->recalled);
    sqlite3_bind_double(add, 13, result->accuracy);
    ireneo_sql_bind_real(add, 14, result->loss);
    ireneo_sql_bind_real(add, 15, result->margin);
    ireneo_sql_bind_real(add, 16, result->norm_bound);
    sqlite3_bind_int64(add, 17, (sqlite3_int64)result->scans);
    sqlite3_bind_int64(add, 18, (sqlite3_int64)result->iterations);
    sqlite3_bind_double(add, 19, result->seconds);
}

ireneo_error ireneo_results_add(results *store, const trial *t, const trial_result *result) {
    bind_trial(store->add, t);
    bind_result(store->add, result);
    ireneo_sql_bind_origin(store, store->add, 20);
    store->news = true;
    return ireneo_sql_write(store, store->add);
}
