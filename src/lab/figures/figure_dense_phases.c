/* Figure "dense_phases": loads at which a dense memory retrieves, against lambda, for the three ensembles
 * (docs/dense.md; after Lucibello and Mezard, figure 1). */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

/* dense_phases_NAME.csv: one row per lambda, evenly spaced from 0. */
static ireneo_error write_ensemble(const figure_request *request, ireneo_dense_ensemble ensemble,
                                   double last) {
    char name[64];
    snprintf(name, sizeof name, "dense_phases_%s.csv", ireneo_dense_ensemble_name(ensemble));
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, name, &csv));
    fprintf(csv.stream, "lambda,alpha_1,alpha_star,alpha_c_lower_bound,ramsauer,ramsauer_separation_one,"
                        "ramsauer_separation_pairs,alpha_1_large_lambda\n"
                        "# Loads log(P) / N: alpha_1 below which patterns are retrieved, alpha_star below "
                        "which only the nearest disturbs, lower bound of\n"
                        "# alpha_c below which every pattern is, bounds of Ramsauer et al. (arXiv "
                        "2008.02217), and alpha_1 at large lambda.\n"
                        "0,0,0,0,0,0,0,nan\n");
    ireneo_error failed = IRENEO_OK;
    int steps = request->quick ? 200 : 1000;
    for (int i = 1; i <= steps && failed == IRENEO_OK; i++) {
        ireneo_dense_point point = {.ensemble = ensemble, .lambda = last * i / steps};
        ireneo_dense_phases_report r;
        failed = ireneo_dense_phases(&point, &r);
        if (failed == IRENEO_OK)
            fprintf(csv.stream, "%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g\n", r.lambda, r.alpha_1,
                    r.alpha_star, r.alpha_c_lower_bound, r.ramsauer, r.ramsauer_separation_one,
                    r.ramsauer_separation_pairs, r.alpha_1_large_lambda);
    }
    return ireneo_csv_close(&csv, failed);
}

static ireneo_error make(const figure_request *request) {
    IRENEO_TRY(ireneo_figure_note(request, "dense_phases",
                                  "Theory of the limit N → ∞ neurons, P = e^{αN} patterns; nothing drawn at "
                                  "random; shaded: retrieved"));
    IRENEO_TRY(write_ensemble(request, IRENEO_DENSE_ENSEMBLE_SPHERICAL, 4.0));
    IRENEO_TRY(write_ensemble(request, IRENEO_DENSE_ENSEMBLE_GAUSSIAN, 2.0));
    return write_ensemble(request, IRENEO_DENSE_ENSEMBLE_BINARY, 3.0);
}

const figure figure_dense_phases = {
    "dense_phases", "dense memories: how many patterns fit against lambda", make, {0}};
