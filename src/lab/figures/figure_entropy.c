/* Figure "entropy": how much is left of the volume of solutions, and how alike two of them are, against the load.
 *
 * Curves: the law at ten candidates and in the limit, for full matrices and for half the rank. Points: walks through the
 * solutions of random facts (entropy_walks.c). The quick figure takes the rows that are shipped in
 * data/rows/entropy.csv, from the full settings. */
#include "base/error.h"
#include "base/parallel.h"
#include "base/ram.h"
#include "base/threads.h"
#include "lab/figures/data_folder.h"
#include "lab/figures/entropy_walks.h"
#include "lab/figures/figure_trials.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

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

/* Four curves: ten candidates and the limit of many, each at full rank and at half of it. */
enum { CURVES = 4, MOST_LAW_LOADS = 60 };

typedef struct entropy_curves {
    double step; /* of the load */
    size_t loads, samples;
    uint64_t seed;
    ireneo_free_entropy_report points[CURVES][MOST_LAW_LOADS];
} entropy_curves;

static size_t candidates_of(size_t curve) {
    return curve < CURVES / 2 ? CANDIDATES : 0;
}

static double share_of(size_t curve) {
    return curve % 2 == 0 ? 1.0 : 0.5;
}

/* Just below round numbers: one half is the capacity in the limit, where nothing is left. */
static double load_of(const entropy_curves *law, size_t k) {
    return k == 0 ? 0.0 : law->step * (double)k - 1e-4;
}

static ireneo_error find_point(void *context, size_t index, int thread) {
    entropy_curves *law = context;
    size_t curve = index / law->loads, k = index % law->loads;
    (void)thread;
    return ireneo_free_entropy_of_rank(load_of(law, k), candidates_of(curve), share_of(curve), 1.0,
                                       law->samples, law->seed, &law->points[curve][k]);
}

static ireneo_error write_law(const figure_request *request, FILE *stream) {
    entropy_curves law = {.step = request->quick ? 0.05 : 0.02,
                          .loads = request->quick ? 24 : MOST_LAW_LOADS,
                          .samples = request->quick ? 100 : 2000,
                          .seed = request->seed};
    IRENEO_TRY(ireneo_parallel(CURVES * law.loads, ireneo_thread_count(request->threads), request->progress,
                               "law (entropy)", find_point, &law));
    fprintf(stream, "load,entropy,entropy_error,overlap,overlap_error,rank_share,candidates\n"
                    "# The law; candidates 0: the limit of many.\n");
    for (size_t i = 0; i < CURVES; i++) {
        if (i > 0) fputs("\n\n", stream);
        for (size_t k = 0; k < law.loads && !isinf(law.points[i][k].entropy); k++) {
            const ireneo_free_entropy_report *r = &law.points[i][k];
            fprintf(stream, "%.4g,%.6g,%.3g,%.6g,%.3g,%.3g,%zu\n", load_of(&law, k), r->entropy,
                    r->entropy_error, r->overlap, r->overlap_error, share_of(i), candidates_of(i));
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

/* Means over the draws of a group (g->draws) at one load; nothing unless every draw came so far. */
static void write_point(const entropy_group *g, const entropy_draw *draws, size_t k, size_t facts,
                        FILE *stream) {
    mean_of entropy = {0}, overlap = {0}, fourth = {0};
    double n = (double)g->draws, dim = (double)g->dim,
           stretch = dim / span_of(g); /* from d^2 to the dimensions that count */
    for (size_t i = 0; i < g->draws; i++) {
        const entropy_row *r = &draws[i].rows[k];
        add(&entropy, stretch * r->entropy);
        add(&overlap, stretch * r->overlap);
        add(&fourth, r->fourth);
    }
    if (g->draws < 2 || isnan(entropy.sum)) return;
    fprintf(stream, "%s,%zu,%zu,%zu,%.6g,%.6g,%.3g,%.6g,%.3g,%.5g,%.3g,%.0f\n",
            g->decoupled ? "decoupled" : "original", g->dim, g->rank, facts,
            stretch * (double)facts * log((double)g->candidates) / (dim * dim), entropy.sum / n,
            error_of(&entropy, n), overlap.sum / n, error_of(&overlap, n), fourth.sum / n,
            error_of(&fourth, n), n);
}

static void write_points(const entropy_group *groups, size_t count, const entropy_draw *draws, FILE *stream) {
    fprintf(
        stream,
        "problem,dim,rank,facts,load,entropy,entropy_error,overlap,overlap_error,fourth,fourth_error,draws\n"
        "# Means over draws and their standard errors; D = d^2, or d min(d, P - 1) where candidates are "
        "shared.\n");
    for (size_t g = 0; g < count; draws += groups[g++].draws) {
        size_t facts;
        if (g > 0) fputs("\n\n", stream);
        for (size_t k = 1; ireneo_entropy_facts(&groups[g], k, &facts); k++)
            write_point(&groups[g], draws, k, facts, stream);
    }
}

/* The draws of all groups, one group behind the other. */
static ireneo_error list_draws(uint64_t seed, const entropy_group *groups, size_t count, entropy_draw **draws,
                               size_t *listed) {
    *listed = 0;
    for (size_t g = 0; g < count; g++) *listed += groups[g].draws;
    IRENEO_TRY(IRENEO_ALLOCATE_ZEROED(draws, *listed, "draws"));
    entropy_draw *next = *draws;
    for (size_t g = 0; g < count; g++)
        for (size_t draw = 0; draw < groups[g].draws; draw++)
            *next++ =
                (entropy_draw){.group = &groups[g], .seed = seed * 1000003 + 1000 * groups[g].dim + draw};
    return IRENEO_OK;
}

/* The quick figure of the usual sizes has the rows that are shipped, those of seed 1. */
static ireneo_error take_shipped(figure_request *request) {
    char path[PATH_MAX + 64];
    if (!request->quick || request->own.dim_count > 0 || request->own.trials > 0) return IRENEO_OK;
    IRENEO_TRY(ireneo_data_path("rows/entropy.csv", path, sizeof path));
    request->seed = 1;
    request->rows = path;
    ireneo_error failed = ireneo_figure_take_rows(request);
    request->rows = NULL;
    return failed;
}

static ireneo_error write_walks(const figure_request *asked) {
    figure_request request = *asked;
    entropy_group groups[MOST_GROUPS];
    entropy_draw *draws = NULL;
    figure_csv csv;
    size_t count = list_groups(&request, groups), listed;
    IRENEO_TRY(take_shipped(&request));
    IRENEO_TRY(list_draws(request.seed, groups, count, &draws, &listed));
    ireneo_error failed = ireneo_entropy_run(&request, draws, listed);
    if (failed == IRENEO_OK && (failed = ireneo_csv_open(&request, "entropy.csv", &csv)) == IRENEO_OK) {
        write_points(groups, count, draws, csv.stream);
        failed = ireneo_csv_close(&csv, IRENEO_OK);
    }
    free(draws);
    return failed;
}

static ireneo_error make(const figure_request *request) {
    figure_csv csv;
    IRENEO_TRY(ireneo_figure_note(
        request, "entropy",
        "P = 10 candidates; dimensions and draws stand beside the points; bars: standard error over "
        "draws; nothing is fitted"));
    IRENEO_TRY(write_walks(request));
    IRENEO_TRY(ireneo_csv_open(request, "entropy_law.csv", &csv));
    return ireneo_csv_close(&csv, write_law(request, csv.stream));
}

const figure figure_entropy = {"entropy",
                               "volume and overlap of solutions against the load",
                               make,
                               {1, FIGURE_MOST_DIMS, false, 64, "entropy", false}};
