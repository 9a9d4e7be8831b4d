/* Rows of the tables `trials` and `series` as text. */
#include "lab/sweep/results_rows.h"
#include "base/ram.h"
#include "lab/sweep/results_series.h"
#include "lab/sweep/results_sql.h"
#include "lab/sweep/row_reader.h"
#include "lab/sweep/trial.h"

#include <math.h>
#include <string.h>

static const char COLUMNS[] =
    "key,status,recalled,accuracy,loss,margin,norm_bound,scans,iterations,seconds,values";

/* ---- writing ---- */

static void write_trial(FILE *stream, sqlite3_stmt *row) {
    for (int k = 0; k < 10; k++) {
        if (k > 0) fputc(',', stream);
        if (sqlite3_column_type(row, k) == SQLITE_FLOAT)
            fprintf(stream, k == 9 ? "%.4g" : "%.10g", sqlite3_column_double(row, k));
        else if (sqlite3_column_type(row, k) != SQLITE_NULL)
            fputs((const char *)sqlite3_column_text(row, k), stream);
    }
    fputs(",\n", stream);
}

static void write_series(FILE *stream, sqlite3_stmt *row) {
    const double *numbers = sqlite3_column_blob(row, 1);
    size_t count = (size_t)sqlite3_column_bytes(row, 1) / sizeof *numbers;
    fprintf(stream, "%s,,,,,,,,,,", (const char *)sqlite3_column_text(row, 0));
    for (size_t i = 0; i < count; i++) {
        double number;
        memcpy(&number, (const char *)numbers + i * sizeof number,
               sizeof number); /* a blob may lie anywhere */
        fprintf(stream, i > 0 ? " %.9g" : "%.9g", number);
    }
    fputc('\n', stream);
}

static ireneo_error write_table(results *store, const char *sql, void (*write)(FILE *, sqlite3_stmt *),
                                FILE *stream) {
    sqlite3_stmt *rows = NULL;
    int code;
    IRENEO_TRY(ireneo_sql_prepare(store, sql, &rows));
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) write(stream, rows);
    ireneo_error failed = code == SQLITE_DONE ? IRENEO_OK : ireneo_sql_failed(store, code);
    sqlite3_finalize(rows);
    return failed;
}

ireneo_error ireneo_results_write_rows(results *store, FILE *stream) {
    fprintf(stream,
            "%s\n# A line is a trial, under the key of its parameters, or a series of numbers (values) under "
            "its name.\n",
            COLUMNS);
    IRENEO_TRY(write_table(
        store,
        "SELECT key, status, recalled, accuracy, loss, margin, norm_bound, scans, iterations, seconds FROM "
        "trials"
        " ORDER BY problem, solver, dim_in, dim_out, rank, facts, candidates, length(seed), seed, key",
        write_trial, stream));
    return write_table(store, "SELECT name, numbers FROM series ORDER BY name", write_series, stream);
}

/* ---- reading ---- */

/* The columns that a trial's key begins with. */
typedef struct key_words {
    char problem[32], solver[32];
    size_t in, out, rank, facts, candidates;
    unsigned long long seed;
} key_words;

static bool read_key(const char *key, key_words *w) {
    return sscanf(key, "%31s %31s in=%zu out=%zu rank=%zu facts=%zu candidates=%zu seed=%llu", w->problem,
                  w->solver, &w->in, &w->out, &w->rank, &w->facts, &w->candidates, &w->seed) == 8 &&
           w->in > 0 && w->out > 0 && w->facts > 0 && w->candidates > 1 && w->facts < SIZE_MAX / 2 &&
           w->in < SIZE_MAX / 2 && w->out < SIZE_MAX / 2 && w->rank < SIZE_MAX / 2 &&
           w->candidates < SIZE_MAX / 2;
}

static bool known_status(const char *status) {
    static const ireneo_status all[] = {IRENEO_STATUS_STORED, IRENEO_STATUS_IMPOSSIBLE, IRENEO_STATUS_PARTIAL,
                                        IRENEO_STATUS_UNDECIDED};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(status, ireneo_status_name(all[i])) == 0) return true;
    return strcmp(status, "failed") == 0;
}

static void bind_key(sqlite3_stmt *add, const char *key, const key_words *w) {
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", w->seed);
    ireneo_sql_bind_text(add, 1, key);
    ireneo_sql_bind_text(add, 2, w->problem);
    ireneo_sql_bind_text(add, 3, w->solver);
    sqlite3_bind_int64(add, 4, (sqlite3_int64)w->in);
    sqlite3_bind_int64(add, 5, (sqlite3_int64)w->out);
    sqlite3_bind_int64(add, 6, (sqlite3_int64)w->rank);
    sqlite3_bind_int64(add, 7, (sqlite3_int64)w->facts);
    sqlite3_bind_int64(add, 8, (sqlite3_int64)w->candidates);
    ireneo_sql_bind_text(add, 9, seed);
    sqlite3_bind_double(add, 10,
                        (double)w->facts * log((double)w->candidates) / ((double)w->in * (double)w->out));
}

static ireneo_error add_trial(results *store, const row_reader *reader) {
    static const char *const reals[] = {"loss", "margin", "norm_bound"};
    key_words words;
    uint64_t recalled, scans, iterations;
    double accuracy, seconds, real;
    const char *key = ireneo_rows_text(reader, "key"), *status = ireneo_rows_text(reader, "status");
    if (!read_key(key, &words) || !known_status(status))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s, line %zu: this is not a trial and its outcome",
                           reader->path, reader->line);
    IRENEO_TRY(ireneo_rows_size(reader, "recalled", words.facts, &recalled));
    IRENEO_TRY(ireneo_rows_size(reader, "scans", INT64_MAX, &scans));
    IRENEO_TRY(ireneo_rows_size(reader, "iterations", INT64_MAX, &iterations));
    IRENEO_TRY(ireneo_rows_number(reader, "accuracy", &accuracy));
    IRENEO_TRY(ireneo_rows_number(reader, "seconds", &seconds));
    if (!(accuracy >= 0.0 && accuracy <= 1.0) || !(seconds >= 0.0))
        return ireneo_fail(IRENEO_ERROR_DATA, "%s, line %zu: accuracy or seconds cannot be", reader->path,
                           reader->line);
    bind_key(store->add, key, &words);
    ireneo_sql_bind_text(store->add, 11, status);
    sqlite3_bind_int64(store->add, 12, (sqlite3_int64)recalled);
    sqlite3_bind_double(store->add, 13, accuracy);
    for (int k = 0; k < 3; k++) {
        IRENEO_TRY(ireneo_rows_number(reader, reals[k], &real));
        ireneo_sql_bind_real(store->add, 14 + k, real);
    }
    sqlite3_bind_int64(store->add, 17, (sqlite3_int64)scans);
    sqlite3_bind_int64(store->add, 18, (sqlite3_int64)iterations);
    sqlite3_bind_double(store->add, 19, seconds);
    ireneo_sql_bind_origin(store, store->add, 20);
    store->news = true;
    return ireneo_sql_write(store, store->add);
}

static ireneo_error add_series(results *store, const row_reader *reader) {
    const char *name = ireneo_rows_text(reader, "key"), *text = ireneo_rows_text(reader, "values");
    size_t count = 0, room = strlen(text) / 2 + 1;
    double *values = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE(&values, room, "a series of results"));
    ireneo_error failed = IRENEO_OK;
    while (*text != '\0' && failed == IRENEO_OK) {
        char *end;
        values[count++] = strtod(text, &end);
        if (end == text || (*end != ' ' && *end != '\0'))
            failed = ireneo_fail(IRENEO_ERROR_DATA, "%s, line %zu: values are numbers split by spaces",
                                 reader->path, reader->line);
        text = *end == ' ' ? end + 1 : end;
    }
    if (failed == IRENEO_OK) failed = ireneo_results_add_series(store, name, values, count);
    free(values);
    return failed;
}

static ireneo_error read_all(results *store, row_reader *reader) {
    bool found;
    for (;;) {
        IRENEO_TRY(ireneo_rows_next(reader, &found));
        if (!found) return IRENEO_OK;
        IRENEO_TRY(ireneo_rows_text(reader, "values")[0] != '\0' ? add_series(store, reader)
                                                                 : add_trial(store, reader));
    }
}

static bool are_trials(const row_reader *reader) {
    return ireneo_rows_has(reader, "key") && ireneo_rows_has(reader, "status") &&
           ireneo_rows_has(reader, "values");
}

ireneo_error ireneo_results_read_rows(results *store, const char *path, size_t *added) {
    row_reader reader;
    size_t before = 0, after = 0;
    ireneo_error failed = ireneo_rows_open(path, &reader);
    if (failed == IRENEO_OK && !are_trials(&reader))
        failed = ireneo_fail(IRENEO_ERROR_DATA, "%s does not hold the rows of trials: its heading is not %s",
                             path, COLUMNS);
    if (failed == IRENEO_OK) failed = ireneo_results_count(store, &before);
    if (failed == IRENEO_OK) failed = ireneo_sql_run(store, "BEGIN IMMEDIATE");
    if (failed == IRENEO_OK) {
        failed = read_all(store, &reader);
        if (failed == IRENEO_OK)
            failed = ireneo_sql_run(store, "COMMIT");
        else
            sqlite3_exec(store->database, "ROLLBACK", NULL, NULL,
                         NULL); /* the first error is the one to tell */
    }
    if (failed == IRENEO_OK) failed = ireneo_results_count(store, &after);
    *added = after - before;
    ireneo_rows_close(&reader);
    return failed;
}
