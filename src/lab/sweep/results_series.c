/* Arrays as blobs. */
#include "lab/sweep/results_series.h"
#include "base/ram.h"
#include "lab/sweep/results_sql.h"

#include <string.h>

ireneo_error ireneo_results_find_series(results *store, const char *name, double **values, size_t *count) {
    *values = NULL;
    *count = 0;
    sqlite3_bind_text(store->find_series, 1, name, -1, SQLITE_STATIC);
    int code = sqlite3_step(store->find_series);
    ireneo_error failed =
        code == SQLITE_ROW || code == SQLITE_DONE ? IRENEO_OK : ireneo_sql_failed(store, code);
    if (code == SQLITE_ROW) {
        size_t numbers = (size_t)sqlite3_column_bytes(store->find_series, 0) / sizeof(double);
        failed = IRENEO_ALLOCATE(values, numbers, "a series of results");
        const void *blob = sqlite3_column_blob(store->find_series, 0);
        if (failed == IRENEO_OK && numbers > 0 && blob == NULL)
            failed = ireneo_sql_failed(store, SQLITE_NOMEM);
        else if (failed == IRENEO_OK && numbers > 0)
            memcpy(*values, blob, numbers * sizeof **values);
        if (failed == IRENEO_OK) *count = numbers;
    }
    sqlite3_reset(store->find_series);
    return failed;
}

ireneo_error ireneo_results_add_series(results *store, const char *name, const double *values, size_t count) {
    sqlite3_bind_text(store->add_series, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(store->add_series, 2, values, count * sizeof *values, SQLITE_STATIC);
    store->news = true;
    ireneo_error failed = ireneo_sql_write(store, store->add_series);
    sqlite3_clear_bindings(store->add_series);
    return failed;
}
