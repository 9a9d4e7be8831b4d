/* Figure "linear_c1" (the paper's figure C.1): critical load against size for both problems, from thresholds
 * found by bisection, beside the finite-size law, which has no parameter to fit; Adam's own thresholds for
 * comparison. */
#include "base/error.h"
#include "base/ram.h"
#include "lab/figures/figures.h"
#include "lab/figures/threshold_figure.h"

#include <math.h>

enum { SERIES = 3, MOST_DIMS = FIGURE_MOST_DIMS };

/* Original and decoupled with proofs, then Adam on the original problem. */
static size_t list_groups(const figure_request *request, threshold_group *groups) {
    static const size_t quick_dims[] = {10, 15, 20, 30, 40}, full_dims[] = {10, 15, 20, 30, 40, 50, 65, 80};
    size_t own = request->own.dim_count, dims = own > 0 ? own : request->quick ? 5 : 8, count = 0;
    for (size_t series = 0; series < SERIES; series++) {
        bool adam = series == 2;
        for (size_t i = 0; i < (adam ? dims - 1 : dims); i++) {
            threshold_group *g = &groups[count++];
            g->like = ireneo_trial_square(
                series == 1 ? TRIAL_DECOUPLED : TRIAL_ORIGINAL, adam ? TRIAL_ADAM : TRIAL_PROJECT,
                ireneo_figure_dim(request, i, i < 5 ? quick_dims[i] : 0, full_dims[i]), 1.0, 2,
                request->seed);
            if (request->quick) g->like.steps = 1000;
            g->draws = ireneo_figure_draws(request, 8, 20);
        }
    }
    return count;
}

static void write_measured(const threshold_group *groups, size_t count, FILE *stream) {
    fprintf(stream, "problem,solver,dim,law,law_load,median_load,low_load,high_load,median,certified,draws\n"
                    "# Largest numbers of facts that are stored, over `draws` draws, as loads n log n / d^2: "
                    "median and quartiles (low, high);\n"
                    "# certified: draws whose next number is proved impossible.\n");
    for (size_t i = 0; i < count; i++) {
        const threshold_group *g = &groups[i];
        double area = (double)(g->like.dim_in * g->like.dim_in);
        if (i > 0 &&
            (g->like.problem != groups[i - 1].like.problem || g->like.solver != groups[i - 1].like.solver))
            fputs("\n\n", stream);
        fprintf(stream, "%s,%s,%zu,%.8g,%.8g,%.8g,%.8g,%.8g,%.8g,%zu,%zu\n",
                ireneo_trial_problem_name(g->like.problem), ireneo_trial_solver_name(g->like.solver),
                g->like.dim_in, g->law, g->law * log(g->law) / area, g->median * log(g->median) / area,
                g->low * log(g->low) / area, g->high * log(g->high) / area, g->median, g->certified,
                g->draws);
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

static ireneo_error make(const figure_request *request) {
    threshold_group groups[SERIES * MOST_DIMS];
    size_t count = list_groups(request, groups);
    figure_csv csv;
    IRENEO_TRY(ireneo_threshold_groups(request, "thresholds (linear_c1)", groups, count));
    IRENEO_TRY(ireneo_csv_open(request, "linear_c1.csv", &csv));
    write_measured(groups, count, csv.stream);
    IRENEO_TRY(ireneo_csv_close(&csv, IRENEO_OK));
    IRENEO_TRY(ireneo_csv_open(request, "linear_c1_law.csv", &csv));
    return ireneo_csv_close(&csv, write_law(csv.stream));
}

const figure figure_linear_c1 = {"linear_c1",
                                 "critical load against size, certified thresholds and law",
                                 make,
                                 {2, FIGURE_MOST_DIMS, false, MOST_DRAWS}};
