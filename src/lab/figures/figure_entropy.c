/* Figure "entropy": how much is left of the volume of solutions, and how alike two of them are, against the load.
 *
 * Curves: the law at ten candidates and in the limit, for full matrices and for half the rank. Points: walks through the
 * solutions of random facts (entropy_walks.c). The quick figure takes the rows that are shipped in data/entropy.csv, from
 * the full settings. */
#include "base/error.h"
#include "base/ranks.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/entropy_walks.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <limits.h>
#include <math.h>

enum { CANDIDATES = 10, MOST_GROUPS = 2 * FIGURE_MOST_DIMS + 1 };

/* Shared candidates span P - 1 dimensions once centred: what is more of W is free. */
static double span_of(const entropy_group *g) {
    return g->decoupled ? (double)g->dim : fmin((double)g->dim, (double)g->candidates - 1.0);
}

/* Both problems at every dimension, and half the rank at the last. */
static size_t list_groups(const figure_request *request, entropy_group *groups) {
    static const size_t dims[] = {8, 12, 16}, draws[] = {24, 12, 4};
    size_t sizes = request->own.dim_count > 0 ? request->own.dim_count : 3, count = 0;
    for (size_t i = 0; i < 2 * sizes + 1; i++) {
        size_t k = i < 2 * sizes ? i / 2 : sizes - 1, usual = k < 3 ? k : 2;
        bool full = i < 2 * sizes;
        entropy_group g = {.decoupled = i % 2 == 0, .candidates = CANDIDATES};
        g.dim = request->own.dim_count > 0 ? request->own.dims[k] : dims[usual];
        g.rank = full ? g.dim : g.dim / 2;
        g.draws = ireneo_figure_draws(request, draws[usual], draws[usual]);
        g.steps = !full        ? 80
                  : g.dim < 16 ? 60
                               : 40; /* of half the rank solutions are further apart on the way */
        g.load_to = (g.dim < 16 ? 0.8 : 0.5) * (g.dim < 16 ? span_of(&g) / (double)g.dim : 1.0);
        groups[count++] = g;
    }
    return count;
}

/* ---- the law ---- */

static ireneo_error write_law(const figure_request *request, FILE *stream) {
    static const double shares[] = {1.0, 0.5};
    static const size_t candidates[] = {CANDIDATES, 0};
    double step = request->quick ? 0.05 : 0.02;
    fprintf(stream, "load,entropy,entropy_error,overlap,overlap_error,rank_share,candidates\n"
                    "# The law; candidates 0: the limit of many.\n");
    for (size_t i = 0; i < 4; i++) {
        if (i > 0) fputs("\n\n", stream);
        for (double load = 0.0; load < 1.2; load += step) {
            ireneo_free_entropy_report r;
            IRENEO_TRY(ireneo_free_entropy_of_rank(load, candidates[i / 2], shares[i % 2], 1.0,
                                                   request->quick ? 100 : 2000, request->seed, &r));
            if (isinf(r.entropy)) break;
            fprintf(stream, "%.4g,%.6g,%.3g,%.6g,%.3g,%.3g,%zu\n", load, r.entropy, r.entropy_error,
                    r.overlap, r.overlap_error, shares[i % 2], candidates[i / 2]);
        }
    }
    return IRENEO_OK;
}

/* ---- the points ---- */

typedef struct mean_of {
    double sum, squares;
} mean_of;

static void add(mean_of *m, double value) {
    m->sum += value;
    m->squares += value * value;
}

/* Standard error of the mean of n values. */
static double error_of(const mean_of *m, double n) {
    double variance = fmax(0.0, (m->squares - m->sum * m->sum / n) / fmax(1.0, n - 1.0));
    return sqrt(variance / n);
}

/* Means over the draws of a group at one number of facts; nothing unless every draw came so far. */
static void write_point(const entropy_rows *rows, const entropy_group *g, size_t facts, FILE *stream) {
    mean_of entropy = {0}, overlap = {0}, fourth = {0};
    double n = 0.0, load = 0.0,
           free = (double)g->dim / span_of(g); /* from d^2 to the dimensions that count */
    size_t begun = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const entropy_row *r = &rows->rows[i];
        if (r->decoupled != g->decoupled || r->dim != g->dim || r->rank != g->rank ||
            r->candidates != g->candidates)
            continue;
        if (r->facts == 0) begun++;
        if (r->facts != facts) continue;
        add(&entropy, free * r->entropy);
        add(&overlap, free * r->overlap);
        add(&fourth, r->fourth);
        load = free * r->load;
        n += 1.0;
    }
    if (n < 2.0 || n < (double)begun) return;
    fprintf(stream, "%s,%zu,%zu,%zu,%.6g,%.6g,%.3g,%.6g,%.3g,%.5g,%.3g,%.0f\n",
            g->decoupled ? "decoupled" : "original", g->dim, g->rank, facts, load, entropy.sum / n,
            error_of(&entropy, n), overlap.sum / n, error_of(&overlap, n), fourth.sum / n,
            error_of(&fourth, n), n);
}

static void write_points(const entropy_rows *rows, const entropy_group *groups, size_t count, FILE *stream) {
    fprintf(
        stream,
        "problem,dim,rank,facts,load,entropy,entropy_error,overlap,overlap_error,fourth,fourth_error,draws\n"
        "# Means over draws and their standard errors; D = d^2, or d min(d, P - 1) where candidates are "
        "shared.\n");
    for (size_t g = 0; g < count; g++) {
        size_t facts;
        if (g > 0) fputs("\n\n", stream);
        for (size_t k = 1; ireneo_entropy_facts(&groups[g], k, &facts); k++)
            write_point(rows, &groups[g], facts, stream);
    }
}

static ireneo_error fill_rows(const figure_request *request, const entropy_group *groups, size_t count,
                              entropy_rows *rows) {
    char path[PATH_MAX + 64];
    if (request->quick && request->own.dim_count == 0 && request->own.trials == 0) {
        IRENEO_TRY(ireneo_data_path("entropy.csv", path, sizeof path));
        return ireneo_entropy_read(path, rows);
    }
    snprintf(path, sizeof path, "%s/entropy_rows.csv", request->directory);
    IRENEO_TRY(ireneo_ranks_agree(ireneo_ranks_world(),
                                  ireneo_entropy_read(path, rows))); /* read before one writes */
    return ireneo_entropy_run(request, groups, count, rows);
}

static ireneo_error make(const figure_request *request) {
    entropy_group groups[MOST_GROUPS];
    size_t count = list_groups(request, groups);
    entropy_rows rows = {0};
    figure_csv csv;
    IRENEO_TRY(ireneo_figure_note(
        request, "entropy",
        "P = 10 candidates; dimensions and draws stand beside the points; bars: standard error over "
        "draws; nothing is fitted"));
    ireneo_error failed = fill_rows(request, groups, count, &rows);
    if (failed == IRENEO_OK && (failed = ireneo_csv_open(request, "entropy.csv", &csv)) == IRENEO_OK) {
        write_points(&rows, groups, count, csv.stream);
        failed = ireneo_csv_close(&csv, IRENEO_OK);
    }
    ireneo_entropy_free(&rows);
    IRENEO_TRY(failed);
    IRENEO_TRY(ireneo_csv_open(request, "entropy_law.csv", &csv));
    return ireneo_csv_close(&csv, write_law(request, csv.stream));
}

const figure figure_entropy = {"entropy",
                               "volume and overlap of solutions against the load",
                               make,
                               {1, FIGURE_MOST_DIMS, false, 64, false, false}};
