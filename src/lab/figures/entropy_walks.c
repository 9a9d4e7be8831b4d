/* Rows of walks, made draw by draw and kept in a CSV file, so that a run that was stopped goes on where it was. */
#include "lab/figures/entropy_walks.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"
#include "linear/sampling/volume.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static const char HEADER[] =
    "problem,dim,rank,candidates,draw,facts,load,entropy,difference,error,overlap,apart,fourth\n"
    "# entropy: log(volume of solutions) / d^2, mean of two walks; difference: of the two; error: standard "
    "error from within "
    "walks;\n"
    "# overlap: of solutions of the two walks; apart: steps between independent solutions; fourth: mean s^4 "
    "over (mean "
    "s^2)^2.\n";

enum { MOST_LOADS = 16 };

bool ireneo_entropy_facts(const entropy_group *group, size_t k, size_t *facts) {
    double load = 0.1 * (double)k, d = (double)group->dim;
    *facts = (size_t)lround(load * d * d / log((double)group->candidates));
    return load <= group->load_to + 1e-9 && k < MOST_LOADS;
}

static ireneo_error append(entropy_rows *rows, const entropy_row *row) {
    if (rows->count == rows->room) {
        size_t room = rows->room == 0 ? 256 : 2 * rows->room;
        entropy_row *larger = realloc(rows->rows, room * sizeof *larger);
        if (larger == NULL) return ireneo_fail(IRENEO_ERROR_MEMORY, "no memory for the rows of walks");
        rows->rows = larger;
        rows->room = room;
    }
    rows->rows[rows->count++] = *row;
    return IRENEO_OK;
}

void ireneo_entropy_free(entropy_rows *rows) {
    free(rows->rows);
    *rows = (entropy_rows){0};
}

/* ---- the file ---- */

void ireneo_entropy_write(const entropy_rows *rows, FILE *stream) {
    fputs(HEADER, stream);
    for (size_t i = 0; i < rows->count; i++) {
        const entropy_row *r = &rows->rows[i];
        fprintf(stream, "%s,%zu,%zu,%zu,%zu,%zu,%.6g,%.6g,%.4g,%.4g,%.6g,%.4g,%.5g\n",
                r->decoupled ? "decoupled" : "original", r->dim, r->rank, r->candidates, r->draw, r->facts,
                r->load, r->entropy, r->difference, r->error, r->overlap, r->apart, r->fourth);
    }
}

static bool parse(const char *line, entropy_row *r) {
    char problem[16];
    int fields = sscanf(line, "%15[a-z],%zu,%zu,%zu,%zu,%zu,%lf,%lf,%lf,%lf,%lf,%lf,%lf", problem, &r->dim,
                        &r->rank, &r->candidates, &r->draw, &r->facts, &r->load, &r->entropy, &r->difference,
                        &r->error, &r->overlap, &r->apart, &r->fourth);
    r->decoupled = strcmp(problem, "decoupled") == 0;
    return fields == 13 && (r->decoupled || strcmp(problem, "original") == 0);
}

static ireneo_error read_lines(const char *path, FILE *file, entropy_rows *rows) {
    char line[512];
    for (size_t number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        entropy_row row = {0};
        if (number == 1 || line[0] == '#') continue;
        if (!parse(line, &row))
            return ireneo_fail(IRENEO_ERROR_DATA, "%s: line %zu is no row of a walk", path, number);
        IRENEO_TRY(append(rows, &row));
    }
    return IRENEO_OK;
}

ireneo_error ireneo_entropy_read(const char *path, entropy_rows *rows) {
    FILE *file = fopen(path, "r");
    if (file == NULL) return IRENEO_OK;
    ireneo_error failed = read_lines(path, file, rows);
    fclose(file);
    return failed;
}

static ireneo_error save(const figure_request *request, const entropy_rows *rows) {
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, "entropy_rows.csv", &csv));
    ireneo_entropy_write(rows, csv.stream);
    return ireneo_csv_close(&csv, IRENEO_OK);
}

/* ---- one draw ---- */

/* What all walks of a batch know of the caller's wish to stop. */
typedef struct entropy_watch {
    const ireneo_progress *progress;
    double done, total; /* draws */
    atomic_bool stop;
} entropy_watch;

/* The walk of the calling thread speaks with the caller, the others read what he said. */
static int watch_and_tell(void *context, const char *stage, double done, double total) {
    entropy_watch *w = context;
    if (ireneo_report(w->progress, stage, w->done + done / total, w->total)) atomic_store(&w->stop, true);
    return atomic_load(&w->stop);
}

static int watch(void *context, const char *stage, double done, double total) {
    (void)stage, (void)done, (void)total;
    return atomic_load(&((entropy_watch *)context)->stop);
}

/* A draw that is to be made, and what it gave. */
typedef struct entropy_draw {
    const entropy_group *group;
    size_t draw;
    uint64_t seed;
    entropy_watch *watch;
    ireneo_progress progress;
    entropy_row rows[MOST_LOADS];
    size_t count;
} entropy_draw;

/* The volume at every number of facts into volumes; those at the group's loads become rows. */
static ireneo_error walk(const solution_cone *cone, volume_row *volumes, entropy_draw *draw) {
    const entropy_group *g = draw->group;
    volume_settings settings = {
        .rank = g->rank, .steps = g->steps, .seed = draw->seed, .progress = &draw->progress};
    size_t reached, facts;
    double d = (double)g->dim;
    IRENEO_TRY(ireneo_solution_volume(cone, &settings, volumes, &reached));
    for (size_t k = 0; ireneo_entropy_facts(g, k, &facts) && facts <= reached; k++) {
        const volume_row *v = &volumes[facts];
        draw->rows[draw->count++] =
            (entropy_row){.decoupled = g->decoupled,
                          .dim = g->dim,
                          .rank = g->rank,
                          .candidates = g->candidates,
                          .draw = draw->draw,
                          .facts = facts,
                          .load = (double)facts * log((double)g->candidates) / (d * d),
                          .entropy = v->log_volume / (d * d),
                          .difference = v->difference / (d * d),
                          .error = v->error / (d * d),
                          .overlap = v->overlap,
                          .apart = v->apart,
                          .fourth = v->fourth};
    }
    return IRENEO_OK;
}

static ireneo_error with_facts(entropy_draw *draw, size_t facts, float *keys, float *values,
                               int64_t *targets) {
    const entropy_group *g = draw->group;
    ireneo_sample sample = {draw->seed, g->dim, g->dim};
    IRENEO_TRY(ireneo_sample_keys(&sample, 0, facts, keys));
    IRENEO_TRY(ireneo_sample_values(&sample, 0, g->candidates, values));
    for (size_t i = 0; i < facts; i++) targets[i] = (int64_t)(i % g->candidates);
    ireneo_facts problem = {.facts = facts,
                            .candidates = g->candidates,
                            .dim_in = g->dim,
                            .dim_out = g->dim,
                            .keys = keys,
                            .values = g->decoupled ? NULL : values,
                            .targets = targets,
                            .own_candidates = g->decoupled ? ireneo_sample_own_candidates : NULL,
                            .own_context = g->decoupled ? &sample : NULL};
    solution_cone cone;
    volume_row *volumes = NULL;
    IRENEO_TRY(ireneo_solution_cone_make(&problem, &cone));
    ireneo_error failed = IRENEO_ALLOCATE(&volumes, facts + 1, "volumes");
    if (failed == IRENEO_OK) failed = walk(&cone, volumes, draw);
    free(volumes);
    ireneo_solution_cone_free(&cone);
    return failed;
}

static ireneo_error make_draw(void *context, size_t index, int thread) {
    entropy_draw *draw = (entropy_draw *)context + index;
    const entropy_group *g = draw->group;
    size_t facts = 1;
    draw->progress = (ireneo_progress){thread == 0 ? watch_and_tell : watch, draw->watch};
    for (size_t k = 0, more; ireneo_entropy_facts(g, k, &more); k++) facts = more > facts ? more : facts;
    float *keys = NULL, *values = NULL;
    int64_t *targets = NULL;
    ireneo_error failed = IRENEO_ALLOCATE(&keys, facts * g->dim, "keys");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&values, g->candidates * g->dim, "values");
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE(&targets, facts, "targets");
    if (failed == IRENEO_OK) failed = with_facts(draw, facts, keys, values, targets);
    free(keys);
    free(values);
    free(targets);
    return failed;
}

/* ---- all draws ---- */

static bool is_there(const entropy_rows *rows, const entropy_group *g, size_t draw) {
    for (size_t i = 0; i < rows->count; i++) {
        const entropy_row *r = &rows->rows[i];
        if (r->decoupled == g->decoupled && r->dim == g->dim && r->rank == g->rank &&
            r->candidates == g->candidates && r->draw == draw)
            return true;
    }
    return false;
}

/* Draws that have no row, at most as many as there are places: the first ones of all groups, then the second ones ... */
static size_t list_draws(const figure_request *request, const entropy_rows *rows, const entropy_group *groups,
                         size_t count, size_t places, entropy_watch *w, entropy_draw *draws) {
    size_t listed = 0, most = 0;
    w->done = w->total = 0.0;
    for (size_t g = 0; g < count; g++) most = groups[g].draws > most ? groups[g].draws : most;
    for (size_t draw = 0; draw < most; draw++)
        for (size_t g = 0; g < count; g++) {
            if (draw >= groups[g].draws) continue;
            bool done = is_there(rows, &groups[g], draw);
            w->total += 1.0;
            w->done += done ? 1.0 : 0.0;
            if (done || listed == places) continue;
            draws[listed++] = (entropy_draw){.group = &groups[g],
                                             .watch = w,
                                             .draw = draw,
                                             .seed = request->seed * 1000003 + 1000 * groups[g].dim + draw};
        }
    return listed;
}

/* As many draws as there are threads, kept when all of them are done. */
static ireneo_error make_some(const figure_request *request, int threads, entropy_draw *draws, size_t count,
                              entropy_rows *rows) {
    IRENEO_TRY(ireneo_parallel(count, threads, NULL, "walks", make_draw, draws));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < draws[i].count; k++) IRENEO_TRY(append(rows, &draws[i].rows[k]));
    return save(request, rows);
}

ireneo_error ireneo_entropy_run(const figure_request *request, const entropy_group *groups, size_t count,
                                entropy_rows *rows) {
    int threads = ireneo_thread_count(request->threads);
    size_t places = (size_t)threads, listed;
    entropy_draw *draws = NULL;
    entropy_watch w = {.progress = request->progress};
    IRENEO_TRY(IRENEO_ALLOCATE(&draws, places, "draws"));
    ireneo_error failed = IRENEO_OK;
    while (failed == IRENEO_OK && (listed = list_draws(request, rows, groups, count, places, &w, draws)) > 0)
        failed = make_some(request, threads, draws, listed, rows);
    free(draws);
    return failed;
}
