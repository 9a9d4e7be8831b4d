/* Draws as rows. */
#include "lab/sweep/results_draws.h"
#include "lab/sweep/results_sql.h"

#include <math.h>
#include <stdio.h>

ireneo_error ireneo_results_find_draw(results *store, const ireneo_dense_experiment *e, uint64_t index,
                                      bool *found, ireneo_dense_draw *draw) {
    char key[DRAW_KEY_SIZE];
    sqlite3_stmt *find = store->find_draw;
    ireneo_draw_key(e, index, key);
    sqlite3_bind_text(find, 1, key, -1, SQLITE_STATIC);
    int code = sqlite3_step(find);
    *found = code == SQLITE_ROW;
    if (*found)
        *draw = (ireneo_dense_draw){.value = ireneo_sql_column_real(find, 0),
                                    .log_ratio = ireneo_sql_column_real(find, 1),
                                    .first_overlap = ireneo_sql_column_real(find, 2),
                                    .overlap = ireneo_sql_column_real(find, 3),
                                    .length = ireneo_sql_column_real(find, 4),
                                    .steps = (size_t)sqlite3_column_int64(find, 5)};
    ireneo_error failed =
        code == SQLITE_ROW || code == SQLITE_DONE ? IRENEO_OK : ireneo_sql_failed(store, code);
    sqlite3_reset(find);
    return failed;
}

static void bind_experiment(sqlite3_stmt *add, const ireneo_dense_experiment *e, uint64_t index) {
    char key[DRAW_KEY_SIZE], seed[24];
    ireneo_draw_key(e, index, key);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)e->seed);
    ireneo_sql_bind_text(add, 1, key);
    ireneo_sql_bind_text(add, 2, ireneo_dense_method_name(e->method));
    ireneo_sql_bind_text(add, 3, ireneo_dense_ensemble_name(e->ensemble));
    ireneo_sql_bind_text(add, 4, ireneo_dense_measure_name(e->measure));
    sqlite3_bind_int64(add, 5, (sqlite3_int64)e->neurons);
    sqlite3_bind_double(add, 6, e->log_patterns);
    ireneo_sql_bind_real(add, 7, e->measure == IRENEO_DENSE_MEASURE_LAMBDA ? NAN : e->lambda);
    ireneo_sql_bind_real(add, 8, e->measure == IRENEO_DENSE_MEASURE_ANGLE ? NAN : e->angle);
    sqlite3_bind_int64(add, 9, (sqlite3_int64)e->steps);
    ireneo_sql_bind_text(add, 10, seed);
    sqlite3_bind_int64(add, 11, (sqlite3_int64)index);
}

ireneo_error ireneo_results_add_draw(results *store, const ireneo_dense_experiment *e, uint64_t index,
                                     const ireneo_dense_draw *draw, double seconds) {
    sqlite3_stmt *add = store->add_draw;
    bind_experiment(add, e, index);
    ireneo_sql_bind_real(add, 12, draw->value);
    ireneo_sql_bind_real(add, 13, draw->log_ratio);
    ireneo_sql_bind_real(add, 14, draw->first_overlap);
    ireneo_sql_bind_real(add, 15, draw->overlap);
    ireneo_sql_bind_real(add, 16, draw->length);
    sqlite3_bind_int64(add, 17, (sqlite3_int64)draw->steps);
    sqlite3_bind_double(add, 18, seconds);
    ireneo_sql_bind_origin(store, add, 19);
    store->news = true;
    return ireneo_sql_write(store, add);
}
