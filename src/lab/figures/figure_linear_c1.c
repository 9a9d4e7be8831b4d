/* Figure "linear_c1" (the paper's figure C.1): critical load against size for both problems, from thresholds
 * found by bisection, beside the finite-size law, which has no parameter to fit; Adam's own thresholds for
 * comparison. */
#include "base/error.h"
#include "base/ram.h"
#include "lab/figures/figures.h"
#include "lab/figures/threshold_figure.h"

#include <math.h>

enum { SERIES = 3, MOST_SIZES = 16 };

/* The groups of the three series, one behind the other: original and decoupled with proofs, then Adam on the original
 * problem. */
typedef struct size_series {
    threshold_group groups[SERIES * MOST_SIZES];
    size_t counts[SERIES], count;
} size_series;

static size_t add_searched(const figure_request *request, trial_problem problem, trial_solver solver,
                           size_t dims, threshold_group *groups) {
    static const size_t quick_dims[] = {10, 15, 20, 30, 40}, full_dims[] = {10, 15, 20, 30, 40, 50, 65, 80};
    for (size_t i = 0; i < dims; i++) {
        groups[i] = (threshold_group){
            .like = ireneo_trial_square(
                problem, solver, ireneo_figure_dim(request, i, i < 5 ? quick_dims[i] : 0, full_dims[i]), 1.0,
                2, request->seed),
            .draws = ireneo_figure_draws(request, 8, solver == TRIAL_ADAM ? 10 : 20)};
        groups[i].like.steps = request->quick ? 1000 : 2000;
    }
    return dims;
}

/* Thresholds with proof are those of the rows, when there are some. */
static void list_groups(const figure_request *request, const threshold_rows *known, size_series *s) {
    size_t own = request->own.dim_count, dims = own > 0 ? own : request->quick ? 5 : 8;
    for (size_t k = 0; k < SERIES; k++) {
        threshold_group *groups = s->groups + s->count;
        trial_problem problem = k == 1 ? TRIAL_DECOUPLED : TRIAL_ORIGINAL;
        bool adam = k == 2;
        if (known->count > 0 && !adam)
            s->counts[k] = ireneo_threshold_squares(known, problem, groups, MOST_SIZES);
        else
            s->counts[k] = add_searched(request, problem, adam ? TRIAL_ADAM : TRIAL_PROJECT,
                                        adam ? dims - 1 : dims, groups);
        s->count += s->counts[k];
    }
}

static double load_of(const threshold_group *g, double facts) {
    return facts > 1.0 ? facts * log(facts) / (double)(g->like.dim_in * g->like.dim_in) : 0.0;
}

static void write_measured(const size_series *s, FILE *stream) {
    fprintf(stream,
            "problem,solver,dim,law,law_load,mean,error,mean_load,low_load,high_load,certified,open,draws\n"
            "# Largest numbers of facts that fit, over `draws` draws: mean, and its standard error with half "
            "of the "
            "widest\n"
            "# bracket (open: numbers it leaves open); as loads n log n / d^2: mean, mean - error (low), "
            "mean + error "
            "(high);\n"
            "# certified: draws in which the smallest number that is not stored is proved impossible.\n");
    for (size_t k = 0, at = 0; k < SERIES; at += s->counts[k], k++) {
        if (k > 0) fputs("\n\n", stream);
        for (size_t i = at; i < at + s->counts[k]; i++) {
            const threshold_group *g = &s->groups[i];
            fprintf(stream, "%s,%s,%zu,%.8g,%.8g,%.8g,%.4g,%.8g,%.8g,%.8g,%zu,%zu,%zu\n",
                    ireneo_trial_problem_name(g->like.problem), ireneo_trial_solver_name(g->like.solver),
                    g->like.dim_in, g->law, load_of(g, g->law), g->mean, g->error, load_of(g, g->mean),
                    load_of(g, g->mean - g->error), load_of(g, g->mean + g->error), g->certified, g->open,
                    g->draws);
        }
    }
}

static ireneo_error write_law(FILE *stream) {
    fprintf(stream, "dim,original,decoupled\n"
                    "# critical load n log n / d^2 by the finite-size law, for both problems.\n");
    for (int i = 0; i <= 40; i++) {
        size_t dim = (size_t)lround(8.0 * pow(1024.0, i / 40.0));
        double original, decoupled, limit;
        IRENEO_TRY(ireneo_critical_load(TRIAL_ORIGINAL, dim, 1.0, &original, &limit));
        IRENEO_TRY(ireneo_critical_load(TRIAL_DECOUPLED, dim, 1.0, &decoupled, &limit));
        fprintf(stream, "%zu,%.8g,%.8g\n", dim, original, decoupled);
    }
    return IRENEO_OK;
}

static ireneo_error write_note(const figure_request *request, const size_series *s) {
    char original[DIMS_TEXT], decoupled[DIMS_TEXT];
    size_t steps = s->groups[s->count - 1].like.steps;
    return ireneo_figure_note(request, "linear_c1",
                              "d (draws): original %s;\ndecoupled %s. Hollow: not all draws are "
                              "proved.\nPoints: mean, bars: its standard error and half of an "
                              "open bracket; Adam: %zu draws, %zu steps",
                              ireneo_threshold_text(s->groups, s->counts[0], original),
                              ireneo_threshold_text(s->groups + s->counts[0], s->counts[1], decoupled),
                              s->groups[s->count - 1].draws, steps);
}

static ireneo_error make_from(const figure_request *request, const threshold_rows *known, size_series *s) {
    figure_csv csv;
    list_groups(request, known, s);
    IRENEO_TRY(ireneo_threshold_groups(request, "thresholds (linear_c1)", known, s->groups, s->count));
    IRENEO_TRY(write_note(request, s));
    IRENEO_TRY(ireneo_csv_open(request, "linear_c1.csv", &csv));
    write_measured(s, csv.stream);
    IRENEO_TRY(ireneo_csv_close(&csv, IRENEO_OK));
    IRENEO_TRY(ireneo_csv_open(request, "linear_c1_law.csv", &csv));
    return ireneo_csv_close(&csv, write_law(csv.stream));
}

static ireneo_error make(const figure_request *request) {
    threshold_rows known;
    size_series *s = NULL;
    ireneo_error failed = ireneo_threshold_known(request, &known);
    if (failed == IRENEO_OK) failed = IRENEO_ALLOCATE_ZEROED(&s, 1, "thresholds");
    if (failed == IRENEO_OK) failed = make_from(request, &known, s);
    free(s);
    ireneo_threshold_rows_free(&known);
    return failed;
}

const figure figure_linear_c1 = {"linear_c1",
                                 "critical load against size, certified thresholds and law",
                                 make,
                                 {2, FIGURE_MOST_DIMS, false, MOST_DRAWS, "linear_c1", true}};
