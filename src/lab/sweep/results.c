/* Opening, making and closing the store. */
#include "lab/sweep/results.h"
#include "base/ram.h"
#include "lab/sweep/results_sql.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORMAT_VERSION = 1, APPLICATION_ID = 0x4972656e }; /* "Iren" */

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
    IRENEO_TRY(ireneo_sql_run(store, begin));
    ireneo_error failed = ireneo_sql_number(store, "PRAGMA application_id", &f->application);
    if (failed == IRENEO_OK) failed = ireneo_sql_number(store, "PRAGMA user_version", &f->version);
    if (failed == IRENEO_OK)
        failed = ireneo_sql_number(store, "SELECT count(*) FROM sqlite_master", &f->tables);
    return failed;
}

/* An empty file becomes a store, unless another process was first. */
static ireneo_error make_tables(const results *store, format *f) {
    char sql[2048];
    ireneo_error failed = read_format(store, "BEGIN IMMEDIATE", f);
    snprintf(sql, sizeof sql, "%s PRAGMA application_id = %d; PRAGMA user_version = %d;", SCHEMA,
             APPLICATION_ID, FORMAT_VERSION);
    if (failed == IRENEO_OK && is_empty(f)) {
        failed = ireneo_sql_run(store, sql);
        f->application = APPLICATION_ID, f->version = FORMAT_VERSION;
    }
    return failed == IRENEO_OK ? ireneo_sql_run(store, "COMMIT") : failed; /* closing rolls back */
}

/* A store, an empty file that becomes one, or an error. */
static ireneo_error check_format(const results *store) {
    format f;
    IRENEO_TRY(read_format(store, "BEGIN", &f));
    IRENEO_TRY(ireneo_sql_run(store, "COMMIT"));
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
    IRENEO_TRY(ireneo_sql_prepare(store, "PRAGMA quick_check(1)", &check));
    int code = sqlite3_step(check);
    const unsigned char *verdict = code == SQLITE_ROW ? sqlite3_column_text(check, 0) : NULL;
    bool sound = verdict != NULL && strcmp((const char *)verdict, "ok") == 0;
    sqlite3_finalize(check);
    if (code == SQLITE_ROW && !sound)
        return ireneo_fail(IRENEO_ERROR_DATA, "%s is damaged; move it away, or merge what can be read of it",
                           store->path);
    return code == SQLITE_ROW ? IRENEO_OK : ireneo_sql_failed(store, code);
}

static ireneo_error prepare_draws(results *store) {
    IRENEO_TRY(ireneo_sql_run(store, DRAWS));
    IRENEO_TRY(ireneo_sql_prepare(
        store, "SELECT value, log_ratio, first_overlap, overlap, length, steps FROM draws WHERE key = ?1",
        &store->find_draw));
    return ireneo_sql_prepare(
        store,
        "INSERT INTO draws VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,"
        " ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21) ON CONFLICT (key) DO NOTHING",
        &store->add_draw);
}

static ireneo_error prepare_all(results *store) {
    IRENEO_TRY(ireneo_sql_prepare(
        store,
        "SELECT status, recalled, accuracy, loss, margin, norm_bound, scans, iterations, seconds"
        " FROM trials WHERE key = ?1",
        &store->find));
    IRENEO_TRY(
        ireneo_sql_prepare(store,
                           "INSERT INTO trials VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,"
                           " ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22) ON CONFLICT (key) DO NOTHING",
                           &store->add));
    IRENEO_TRY(ireneo_sql_prepare(store, "SELECT numbers FROM series WHERE name = ?1", &store->find_series));
    return ireneo_sql_prepare(store, "INSERT INTO series VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING",
                              &store->add_series);
}

/* A log beside the file: readers and one writer do not disturb each other. File systems without shared memory
 * stay with the journal, which is as safe; so does a file that another process is using right now. */
static ireneo_error choose_journal(const results *store) {
    int code = sqlite3_exec(store->database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    bool busy = (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED;
    if (code != SQLITE_OK && !busy) return ireneo_sql_failed(store, code);
    return ireneo_sql_run(store, "PRAGMA synchronous = NORMAL");
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
    made->lock = -1;
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

ireneo_error ireneo_results_open_to_read(const char *path, double wait_seconds, results **store) {
    return open_store(path, wait_seconds, false, store);
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
    if (store->lock >= 0) close(store->lock);
    free(store->path);
    free(store);
}

ireneo_error ireneo_results_count(results *store, size_t *count) {
    sqlite3_int64 number;
    IRENEO_TRY(ireneo_sql_number(
        store, "SELECT (SELECT count(*) FROM main.trials) + (SELECT count(*) FROM main.draws)", &number));
    *count = (size_t)number;
    return IRENEO_OK;
}
