/* One row is one draw: the largest number that was stored, the smallest that was not, and whether that is proved. */
#include "lab/sweep/threshold_rows.h"
#include "base/ram.h"
#include "lab/sweep/row_reader.h"

#include <string.h>

enum { MOST_FACTS = 1000000000, MOST_DIM = 1000000 };

static ireneo_error refuse(const row_reader *reader, const char *why) {
    return ireneo_fail(IRENEO_ERROR_DATA, "%s, line %zu: %s", reader->path, reader->line, why);
}

static ireneo_error read_shape(const row_reader *reader, trial *like) {
    uint64_t in, out, rank, seed, candidates = 0;
    const char *problem = ireneo_rows_text(reader, "problem");
    trial_solver solver;
    if (!ireneo_trial_solver_find(ireneo_rows_text(reader, "solver"), &solver))
        return refuse(reader, "an unknown solver");
    bool original = strcmp(problem, ireneo_trial_problem_name(TRIAL_ORIGINAL)) == 0;
    if (!original && strcmp(problem, ireneo_trial_problem_name(TRIAL_DECOUPLED)) != 0)
        return refuse(reader, "an unknown problem");
    IRENEO_TRY(ireneo_rows_size(reader, "dim_in", MOST_DIM, &in));
    IRENEO_TRY(ireneo_rows_size(reader, "dim_out", MOST_DIM, &out));
    IRENEO_TRY(ireneo_rows_size(reader, "rank", MOST_DIM, &rank));
    IRENEO_TRY(ireneo_rows_size(reader, "seed", UINT64_MAX, &seed));
    if (ireneo_rows_has(reader, "candidates"))
        IRENEO_TRY(ireneo_rows_size(reader, "candidates", MOST_FACTS, &candidates));
    if (in == 0 || out == 0) return refuse(reader, "a dimension of 0");
    *like = ireneo_trial_square(original ? TRIAL_ORIGINAL : TRIAL_DECOUPLED, solver, in, 1.0, 2, seed);
    like->dim_out = out;
    like->rank = rank;
    like->candidates = candidates;
    return IRENEO_OK;
}

static ireneo_error read_row(const row_reader *reader, threshold_row *row) {
    uint64_t stored, not_stored, certified;
    memset(row, 0, sizeof *row);
    IRENEO_TRY(read_shape(reader, &row->like));
    IRENEO_TRY(ireneo_rows_size(reader, "stored", MOST_FACTS, &stored));
    IRENEO_TRY(ireneo_rows_size(reader, "not_stored", MOST_FACTS, &not_stored));
    IRENEO_TRY(ireneo_rows_size(reader, "certified", 1, &certified));
    if (stored == 0 || not_stored <= stored)
        return refuse(reader, "what is not stored is not more than what is");
    row->found = (threshold){.stored = stored, .not_stored = not_stored, .certified = certified == 1};
    return IRENEO_OK;
}

/* Every value is the target of as many facts as any other, and a fact counts when its target wins: other questions have
 * other thresholds. */
static bool is_plain(const row_reader *reader) {
    return (!ireneo_rows_has(reader, "targets") ||
            strcmp(ireneo_rows_text(reader, "targets"), "each") == 0) &&
           (!ireneo_rows_has(reader, "top") || strcmp(ireneo_rows_text(reader, "top"), "1") == 0);
}

static ireneo_error read_rows(row_reader *reader, threshold_rows *rows) {
    static const char *const needed[] = {"problem", "solver", "dim_in",     "dim_out",  "rank",
                                         "seed",    "stored", "not_stored", "certified"};
    size_t room = 0;
    bool found;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!ireneo_rows_has(reader, needed[i]))
            return ireneo_fail(
                IRENEO_ERROR_DATA,
                "%s has no column '%s'; thresholds are what 'ireneo sweep --threshold --csv' writes",
                reader->path, needed[i]);
    for (;;) {
        IRENEO_TRY(ireneo_rows_next(reader, &found));
        if (!found) return IRENEO_OK;
        if (strcmp(reader->fields[0], reader->names[0]) == 0) continue; /* files put one behind the other */
        if (!is_plain(reader)) continue;
        if (rows->count == room) {
            threshold_row *more = realloc(rows->rows, (room = 2 * room + 64) * sizeof *more);
            if (more == NULL)
                return ireneo_fail(IRENEO_ERROR_MEMORY, "not enough memory for %s", reader->path);
            rows->rows = more;
        }
        IRENEO_TRY(read_row(reader, &rows->rows[rows->count]));
        rows->count++;
    }
}

ireneo_error ireneo_threshold_rows_parse(const char *path, const char *text, size_t count,
                                         threshold_rows *rows) {
    row_reader reader = {0};
    memset(rows, 0, sizeof *rows);
    ireneo_error failed = ireneo_rows_begin(path, text, count, &reader);
    if (failed == IRENEO_OK) failed = read_rows(&reader, rows);
    ireneo_rows_close(&reader);
    return failed;
}

ireneo_error ireneo_threshold_rows_read(const char *path, threshold_rows *rows) {
    ireneo_file_view file;
    memset(rows, 0, sizeof *rows);
    ireneo_error failed = ireneo_file_view_open(path, &file);
    if (failed == IRENEO_OK)
        failed = ireneo_threshold_rows_parse(path, (const char *)file.bytes, file.count, rows);
    ireneo_file_view_close(&file);
    return failed;
}

void ireneo_threshold_rows_free(threshold_rows *rows) {
    free(rows->rows);
    memset(rows, 0, sizeof *rows);
}

const threshold *ireneo_threshold_rows_find(const threshold_rows *rows, const trial *like, bool own) {
    for (size_t i = 0; i < rows->count; i++) {
        const trial *t = &rows->rows[i].like;
        if (t->problem == like->problem && t->solver == like->solver && t->dim_in == like->dim_in &&
            t->dim_out == like->dim_out && t->rank == like->rank && t->seed == like->seed &&
            t->candidates == (own ? 0 : like->candidates))
            return &rows->rows[i].found;
    }
    return NULL;
}
