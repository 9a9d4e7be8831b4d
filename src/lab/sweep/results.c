/* SQLite behind the store of results. */
#include "lab/sweep/results.h"
#include "base/ram.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FORMAT_VERSION = 1, APPLICATION_ID = 0x4972656e }; /* "Iren" */

struct results {
    sqlite3 *database;
    char *path;
    char host[256];
    sqlite3_stmt *find, *add, *find_draw, *add_draw, *find_series, *add_series;
};

static const char SCHEMA[] =
    "CREATE TABLE IF NOT EXISTS trials ("
    " key TEXT PRIMARY KEY NOT NULL, problem TEXT NOT NULL, solver TEXT NOT NULL,"
    " dim_in INTEGER NOT NULL, dim_out INTEGER NOT NULL, rank INTEGER NOT NULL,"
    " facts INTEGER NOT NULL, candidates INTEGER NOT NULL, seed TEXT NOT NULL, load REAL NOT NULL,"
    " status TEXT NOT NULL, recalled INTEGER NOT NULL, accuracy REAL NOT NULL, loss REAL, margin REAL,"
    " norm_bound REAL, scans INTEGER NOT NULL, iterations INTEGER NOT NULL, seconds REAL NOT NULL,"
    " version TEXT NOT NULL, host TEXT NOT NULL, finished TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS series (name TEXT PRIMARY KEY NOT NULL, numbers BLOB NOT NULL) WITHOUT "
    "ROWID;";

/* Apart from the schema above: stores made before there were draws get the table when they are opened. */
static const char DRAWS[] =
    "CREATE TABLE IF NOT EXISTS draws ("
    " key TEXT PRIMARY KEY NOT NULL, method TEXT NOT NULL, ensemble TEXT NOT NULL, measure TEXT NOT NULL,"
    " neurons INTEGER NOT NULL, log_patterns REAL NOT NULL, lambda REAL, angle REAL, most_steps INTEGER NOT "
    "NULL,"
    " seed TEXT NOT NULL, draw INTEGER NOT NULL, value REAL, log_ratio REAL, first_overlap REAL,"
    " overlap REAL, length REAL, steps INTEGER NOT NULL, seconds REAL NOT NULL,"
    " version TEXT NOT NULL, host TEXT NOT NULL, finished TEXT NOT NULL) WITHOUT ROWID;";

/* ---- errors ---- */

/* One sentence and the right code for what SQLite reports. */
static ireneo_error sqlite_failed(const results *store, int code) {
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

static ireneo_error run_sql(const results *store, const char *sql) {
    int code = sqlite3_exec(store->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? IRENEO_OK : sqlite_failed(store, code);
}

static ireneo_error prepare(const results *store, const char *sql, sqlite3_stmt **statement) {
    int code = sqlite3_prepare_v2(store->database, sql, -1, statement, NULL);
    return code == SQLITE_OK ? IRENEO_OK : sqlite_failed(store, code);
}

/* The first column of a one-row answer. */
static ireneo_error ask_number(const results *store, const char *sql, sqlite3_int64 *number) {
    sqlite3_stmt *statement = NULL;
    IRENEO_TRY(prepare(store, sql, &statement));
    int code = sqlite3_step(statement);
    *number = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? IRENEO_OK : sqlite_failed(store, code);
}

/* ---- opening ---- */

/* "ares, 2 x Intel(R) Xeon(R) Processor": enough to make sense of the seconds. */
static void describe_host(char *text, size_t size) {
    char name[64] = "unknown", line[256], model[160] = "";
    gethostname(name, sizeof name - 1);
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || colon == NULL) continue;
        snprintf(model, sizeof model, "%.150s", colon + 2);
        model[strcspn(model, "\n")] = '\0';
        break;
    }
    if (file != NULL) fclose(file);
    snprintf(text, size, "%s, %ld x %s", name, sysconf(_SC_NPROCESSORS_ONLN), model[0] ? model : "processor");
}

typedef struct format {
    sqlite3_int64 application, version, tables;
} format;

static bool is_empty(const format *f) {
    return f->application == 0 && f->tables == 0;
}

/* In one transaction: another process may be making the store between two questions. */
static ireneo_error read_format(const results *store, const char *begin, format *f) {
    IRENEO_TRY(run_sql(store, begin));
    ireneo_error failed = ask_number(store, "PRAGMA application_id", &f->application);
    if (failed == IRENEO_OK) failed = ask_number(store, "PRAGMA user_version", &f->version);
    if (failed == IRENEO_OK) failed = ask_number(store, "SELECT count(*) FROM sqlite_master", &f->tables);
    return failed;
}

/* An empty file becomes a store, unless another process was first. */
static ireneo_error make_tables(const results *store, format *f) {
    char sql[2048];
    ireneo_error failed = read_format(store, "BEGIN IMMEDIATE", f);
    snprintf(sql, sizeof sql, "%s PRAGMA application_id = %d; PRAGMA user_version = %d;", SCHEMA,
             APPLICATION_ID, FORMAT_VERSION);
    if (failed == IRENEO_OK && is_empty(f)) {
        failed = run_sql(store, sql);
        f->application = APPLICATION_ID, f->version = FORMAT_VERSION;
    }
    return failed == IRENEO_OK ? run_sql(store, "COMMIT") : failed; /* closing rolls back */
}

/* A store, an empty file that becomes one, or an error. */
static ireneo_error check_format(const results *store) {
    format f;
    IRENEO_TRY(read_format(store, "BEGIN", &f));
    IRENEO_TRY(run_sql(store, "COMMIT"));
    if (is_empty(&f)) IRENEO_TRY(make_tables(store, &f));
    if (f.application != APPLICATION_ID)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s is an SQLite database, but not a store of results",
                           store->path);
    if (f.version != FORMAT_VERSION)
        return ireneo_fail(
            IRENEO_ERROR_DATA,
            "%s is a store of results of version %lld, but this program reads version %d; give "
            "another file",
            store->path, (long long)f.version, FORMAT_VERSION);
    sqlite3_stmt *check = NULL;
    IRENEO_TRY(prepare(store, "PRAGMA quick_check(1)", &check));
    int code = sqlite3_step(check);
    const unsigned char *verdict = code == SQLITE_ROW ? sqlite3_column_text(check, 0) : NULL;
    bool sound = verdict != NULL && strcmp((const char *)verdict, "ok") == 0;
    sqlite3_finalize(check);
    if (code == SQLITE_ROW && !sound)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s is damaged; move it away, or merge what can be read of it",
                           store->path);
    return code == SQLITE_ROW ? IRENEO_OK : sqlite_failed(store, code);
}

static ireneo_error prepare_draws(results *store) {
    IRENEO_TRY(run_sql(store, DRAWS));
    IRENEO_TRY(prepare(
        store, "SELECT value, log_ratio, first_overlap, overlap, length, steps FROM draws WHERE key = ?1",
        &store->find_draw));
    return prepare(store,
                   "INSERT INTO draws VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
                   " ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21) ON CONFLICT (key) DO NOTHING",
                   &store->add_draw);
}

static ireneo_error prepare_all(results *store) {
    IRENEO_TRY(
        prepare(store,
                "SELECT status, recalled, accuracy, loss, margin, norm_bound, scans, iterations, seconds"
                " FROM trials WHERE key = ?1",
                &store->find));
    IRENEO_TRY(prepare(store,
                       "INSERT INTO trials VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
                       " ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22) ON CONFLICT (key) DO NOTHING",
                       &store->add));
    IRENEO_TRY(prepare(store, "SELECT numbers FROM series WHERE name = ?1", &store->find_series));
    return prepare(store, "INSERT INTO series VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
                   &store->add_series);
}

/* A log beside the file: readers and one writer do not disturb each other. File systems without shared memory
 * stay with the journal, which is as safe; so does a file that another process is using right now. */
static ireneo_error choose_journal(const results *store) {
    int code = sqlite3_exec(store->database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    bool busy = (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
    if (code != SQLITE_OK && !busy) return sqlite_failed(store, code);
    return run_sql(store, "PRAGMA synchronous = NORMAL");
}

static ireneo_error open_database(results *store, double wait_seconds, bool writing) {
    struct stat status;
    if (store->path[0] == '\0' || strcmp(store->path, ":memory:") == 0)
        return ireneo_fail(IRENEO_ERROR_ARGUMENT,
                           "a store of results named '%s' would keep nothing; give the name of a file",
                           store->path);
    if (stat(store->path, &status) == 0 && !S_ISREG(status.st_mode))
        return ireneo_fail(IRENEO_ERROR_IO, "%s is not a file", store->path);
    int code = sqlite3_open_v2(store->path, &store->database,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK) {
        if (store->database == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for SQLite");
        return ireneo_fail(IRENEO_ERROR_IO, "%s cannot be opened (%s)", store->path,
                           sqlite3_errmsg(store->database));
    }
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, (int)fmin(1e9, 1000.0 * wait_seconds));
    IRENEO_TRY(check_format(store));
    if (writing) IRENEO_TRY(choose_journal(store));
    if (writing) IRENEO_TRY(prepare_draws(store));
    return prepare_all(store);
}

static ireneo_error open_store(const char *path, double wait_seconds, bool writing, results **store) {
    results *made = NULL;
    *store = NULL;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(&made, 1, "the store of results"));
    made->path = strdup(path);
    describe_host(made->host, sizeof made->host);
    ireneo_error failed = made->path != NULL ? open_database(made, wait_seconds, writing)
                                             : ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory");
    if (failed == IRENEO_OK)
        *store = made;
    else
        ireneo_results_close(made);
    return failed;
}

ireneo_error ireneo_results_open(const char *path, double wait_seconds, results **store) {
    return open_store(path, wait_seconds, true, store);
}

void ireneo_results_close(results *store) {
    if (store == NULL) return;
    sqlite3_finalize(store->find);
    sqlite3_finalize(store->add);
    sqlite3_finalize(store->find_draw);
    sqlite3_finalize(store->add_draw);
    sqlite3_finalize(store->find_series);
    sqlite3_finalize(store->add_series);
    sqlite3_close(store->database);
    free(store->path);
    free(store);
}

/* ---- trials ---- */

static double column_real(sqlite3_stmt *row, int column) {
    return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN : sqlite3_column_double(row, column);
}

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
    result->loss = column_real(row, 3);
    result->margin = column_real(row, 4);
    result->norm_bound = column_real(row, 5);
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
    ireneo_error failed = code == SQLITE_ROW || code == SQLITE_DONE ? IRENEO_OK : sqlite_failed(store, code);
    sqlite3_reset(store->find);
    return failed;
}

static void bind_real(sqlite3_stmt *statement, int place, double value) {
    if (isnan(value))
        sqlite3_bind_null(statement, place);
    else
        sqlite3_bind_double(statement, place, value);
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text) {
    sqlite3_bind_text(statement, place, text, -1, SQLITE_TRANSIENT);
}

static void bind_trial(sqlite3_stmt *add, const trial *t) {
    char key[TRIAL_KEY_SIZE], seed[24];
    ireneo_trial_key(t, key);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)t->seed);
    bind_text(add, 1, key);
    bind_text(add, 2, ireneo_trial_problem_name(t->problem));
    bind_text(add, 3, ireneo_trial_solver_name(t->solver));
    sqlite3_bind_int64(add, 4, (sqlite3_int64)t->dim_in);
    sqlite3_bind_int64(add, 5, (sqlite3_int64)t->dim_out);
    sqlite3_bind_int64(add, 6, (sqlite3_int64)t->rank);
    sqlite3_bind_int64(add, 7, (sqlite3_int64)t->facts);
    sqlite3_bind_int64(add, 8, (sqlite3_int64)t->candidates);
    bind_text(add, 9, seed);
    sqlite3_bind_double(add, 10, ireneo_trial_load(t));
}

static void bind_result(sqlite3_stmt *add, const trial_result *result) {
    bind_text(add, 11, result->failed ? "failed" : ireneo_status_name(result->status));
    sqlite3_bind_int64(add, 12, (sqlite3_int64)result->recalled);
    sqlite3_bind_double(add, 13, result->accuracy);
    bind_real(add, 14, result->loss);
    bind_real(add, 15, result->margin);
    bind_real(add, 16, result->norm_bound);
    sqlite3_bind_int64(add, 17, (sqlite3_int64)result->scans);
    sqlite3_bind_int64(add, 18, (sqlite3_int64)result->iterations);
    sqlite3_bind_double(add, 19, result->seconds);
}

static ireneo_error step_write(const results *store, sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    ireneo_error failed = code == SQLITE_DONE ? IRENEO_OK : sqlite_failed(store, code);
    sqlite3_reset(statement);
    return failed;
}

/* Who made a row and when: three columns from `place` on. */
static void bind_origin(const results *store, sqlite3_stmt *add, int place) {
    char finished[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc) != NULL) strftime(finished, sizeof finished, "%Y-%m-%dT%H:%M:%SZ", &utc);
    bind_text(add, place, ireneo_version());
    bind_text(add, place + 1, store->host);
    bind_text(add, place + 2, finished);
}

ireneo_error ireneo_results_add(results *store, const trial *t, const trial_result *result) {
    bind_trial(store->add, t);
    bind_result(store->add, result);
    bind_origin(store, store->add, 20);
    return step_write(store, store->add);
}

ireneo_error ireneo_results_count(results *store, size_t *count) {
    sqlite3_int64 number;
    IRENEO_TRY(ask_number(
        store, "SELECT (SELECT count(*) FROM main.trials) + (SELECT count(*) FROM main.draws)", &number));
    *count = (size_t)number;
    return IRENEO_OK;
}

/* ---- draws ---- */

ireneo_error ireneo_results_find_draw(results *store, const ireneo_dense_experiment *e, uint64_t index,
                                      bool *found, ireneo_dense_draw *draw) {
    char key[DRAW_KEY_SIZE];
    sqlite3_stmt *find = store->find_draw;
    ireneo_draw_key(e, index, key);
    sqlite3_bind_text(find, 1, key, -1, SQLITE_STATIC);
    int code = sqlite3_step(find);
    *found = code == SQLITE_ROW;
    if (*found)
        *draw = (ireneo_dense_draw){.value = column_real(find, 0),
                                    .log_ratio = column_real(find, 1),
                                    .first_overlap = column_real(find, 2),
                                    .overlap = column_real(find, 3),
                                    .length = column_real(find, 4),
                                    .steps = (size_t)sqlite3_column_int64(find, 5)};
    ireneo_error failed = code == SQLITE_ROW || code == SQLITE_DONE ? IRENEO_OK : sqlite_failed(store, code);
    sqlite3_reset(find);
    return failed;
}

static void bind_experiment(sqlite3_stmt *add, const ireneo_dense_experiment *e, uint64_t index) {
    char key[DRAW_KEY_SIZE], seed[24];
    ireneo_draw_key(e, index, key);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)e->seed);
    bind_text(add, 1, key);
    bind_text(add, 2, ireneo_dense_method_name(e->method));
    bind_text(add, 3, ireneo_dense_ensemble_name(e->ensemble));
    bind_text(add, 4, ireneo_dense_measure_name(e->measure));
    sqlite3_bind_int64(add, 5, (sqlite3_int64)e->neurons);
    sqlite3_bind_double(add, 6, e->log_patterns);
    bind_real(add, 7, e->measure == IRENEO_DENSE_MEASURE_LAMBDA ? NAN : e->lambda);
    bind_real(add, 8, e->measure == IRENEO_DENSE_MEASURE_ANGLE ? NAN : e->angle);
    sqlite3_bind_int64(add, 9, (sqlite3_int64)e->steps);
    bind_text(add, 10, seed);
    sqlite3_bind_int64(add, 11, (sqlite3_int64)index);
}

ireneo_error ireneo_results_add_draw(results *store, const ireneo_dense_experiment *e, uint64_t index,
                                     const ireneo_dense_draw *draw, double seconds) {
    sqlite3_stmt *add = store->add_draw;
    bind_experiment(add, e, index);
    bind_real(add, 12, draw->value);
    bind_real(add, 13, draw->log_ratio);
    bind_real(add, 14, draw->first_overlap);
    bind_real(add, 15, draw->overlap);
    bind_real(add, 16, draw->length);
    sqlite3_bind_int64(add, 17, (sqlite3_int64)draw->steps);
    sqlite3_bind_double(add, 18, seconds);
    bind_origin(store, add, 19);
    return step_write(store, add);
}

/* ---- series ---- */

ireneo_error ireneo_results_find_series(results *store, const char *name, double **values, size_t *count) {
    *values = NULL;
    *count = 0;
    sqlite3_bind_text(store->find_series, 1, name, -1, SQLITE_STATIC);
    int code = sqlite3_step(store->find_series);
    ireneo_error failed = code == SQLITE_ROW || code == SQLITE_DONE ? IRENEO_OK : sqlite_failed(store, code);
    if (code == SQLITE_ROW) {
        size_t numbers = (size_t)sqlite3_column_bytes(store->find_series, 0) / sizeof(double);
        failed = IRENEO_ALLOCATE(values, numbers, "a series of results");
        const void *blob = sqlite3_column_blob(store->find_series, 0);
        if (failed == IRENEO_OK && numbers > 0 && blob == NULL)
            failed = sqlite_failed(store, SQLITE_NOMEM);
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
    ireneo_error failed = step_write(store, store->add_series);
    sqlite3_clear_bindings(store->add_series);
    return failed;
}

/* ---- merging ---- */

static ireneo_error attach(const results *store, const char *source) {
    sqlite3_stmt *statement = NULL;
    IRENEO_TRY(prepare(store, "ATTACH ?1 AS source", &statement));
    sqlite3_bind_text(statement, 1, source, -1, SQLITE_STATIC);
    ireneo_error failed = step_write(store, statement);
    sqlite3_finalize(statement);
    return failed;
}

/* Draws of the attached source; stores made before there were draws have none. */
static ireneo_error copy_draws(const results *store, sqlite3_int64 *different) {
    sqlite3_int64 tables, unequal;
    IRENEO_TRY(ask_number(store, "SELECT count(*) FROM source.sqlite_master WHERE name = 'draws'", &tables));
    if (tables == 0) return IRENEO_OK;
    IRENEO_TRY(ask_number(store,
                          "SELECT count(*) FROM main.draws AS a JOIN source.draws AS b USING (key)"
                          " WHERE a.value IS NOT b.value OR a.log_ratio IS NOT b.log_ratio",
                          &unequal));
    *different += unequal;
    return run_sql(store, "INSERT OR IGNORE INTO main.draws SELECT * FROM source.draws");
}

/* Copies inside one transaction: all of the source or nothing. */
static ireneo_error copy_attached(results *store, size_t *before, size_t *after, sqlite3_int64 *different) {
    IRENEO_TRY(run_sql(store, "BEGIN IMMEDIATE"));
    ireneo_error failed = ireneo_results_count(store, before);
    if (failed == IRENEO_OK)
        failed = ask_number(store,
                            "SELECT count(*) FROM main.trials AS a JOIN source.trials AS b USING (key)"
                            " WHERE a.status <> b.status OR a.recalled <> b.recalled OR a.loss IS NOT b.loss"
                            " OR a.margin IS NOT b.margin",
                            different);
    if (failed == IRENEO_OK)
        failed = run_sql(store, "INSERT OR IGNORE INTO main.trials SELECT * FROM source.trials;"
                                "INSERT OR IGNORE INTO main.series SELECT * FROM source.series;");
    if (failed == IRENEO_OK) failed = copy_draws(store, different);
    if (failed == IRENEO_OK) failed = ireneo_results_count(store, after);
    if (failed == IRENEO_OK) return run_sql(store, "COMMIT");
    sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL); /* the first error is the one to tell */
    return failed;
}

ireneo_error ireneo_results_merge(results *store, const char *source, size_t *added, size_t *different) {
    if (access(source, R_OK) != 0)
        return ireneo_fail(IRENEO_ERROR_IO, "%s cannot be read: %s", source, strerror(errno));
    results *other; /* opened once on its own, so that its faults are told under its name */
    IRENEO_TRY(open_store(source, 10.0, false, &other));
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
