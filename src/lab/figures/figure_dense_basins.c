/* Figure "dense_basins": how far a query may be from its pattern, against lambda, at several loads
 * (docs/dense.md; the theory curves of Lucibello and Mezard, figure 3, and the same for binary patterns). */
#include "base/error.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

/* The rows of one load from lambda_c on, followed by two blank lines; the square keeps the points dense where
 * the basin opens as a square root. */
static ireneo_error write_load(const figure_csv *csv, ireneo_dense_ensemble ensemble, double alpha,
                               double last, int steps) {
    ireneo_dense_point point = {.ensemble = ensemble, .alpha = alpha, .lambda = last};
    ireneo_dense_basins_report r;
    IRENEO_TRY(ireneo_dense_basins(&point, &r));
    double lambda_c = r.lambda_c, reach = log(last / lambda_c);
    for (int i = 0; i <= steps; i++) {
        double share = (double)i / steps;
        point.lambda = lambda_c * exp(reach * share * share);
        IRENEO_TRY(ireneo_dense_basins(&point, &r));
        fprintf(csv->stream, "%g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g\n", alpha, r.lambda,
                r.retrieved ? r.theta_c : 0.0, r.theta_star, r.free_energy, lambda_c, r.lambda_star,
                r.retrieved ? r.flip_fraction : 0.0, r.flip_fraction_star);
    }
    fprintf(csv->stream, "\n\n");
    return IRENEO_OK;
}

/* dense_basins_NAME.csv: one block per load. */
static ireneo_error write_ensemble(const figure_request *request, ireneo_dense_ensemble ensemble,
                                   const double *loads, size_t count, double last) {
    char name[64];
    snprintf(name, sizeof name, "dense_basins_%s.csv", ireneo_dense_ensemble_name(ensemble));
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, name, &csv));
    fprintf(csv.stream,
            "alpha,lambda,theta_c,theta_star,free_energy,lambda_c,lambda_star,flip_fraction,"
            "flip_fraction_star\n"
            "# theta: largest angle of a query, in radians, that is retrieved, at this lambda and at any; "
            "flip_fraction: the same as a share of flipped\n"
            "# neurons; lambda_c, lambda_star: where retrieval begins, and where the basin is widest.\n");
    ireneo_error failed = IRENEO_OK;
    for (size_t i = 0; i < count && failed == IRENEO_OK; i++)
        failed = write_load(&csv, ensemble, loads[i], last, request->quick ? 100 : 400);
    return ireneo_csv_close(&csv, failed);
}

static ireneo_error make(const figure_request *request) {
    IRENEO_TRY(ireneo_figure_note(
        request, "dense_basins",
        "Theory of the limit N → ∞ neurons, P = e^{αN} patterns; nothing drawn at random; dots: the λ "
        "beyond which the basin grows no more"));
    static const double spherical[] = {0.1, 0.2, 0.3, 0.5, 1.0}, binary[] = {0.05, 0.1, 0.2, 0.3, 0.5};
    IRENEO_TRY(write_ensemble(request, IRENEO_DENSE_ENSEMBLE_SPHERICAL, spherical,
                              sizeof spherical / sizeof *spherical, 10.0));
    return write_ensemble(request, IRENEO_DENSE_ENSEMBLE_BINARY, binary, sizeof binary / sizeof *binary,
                          10.0);
}

const figure figure_dense_basins = {
    "dense_basins", "dense memories: how far a query may be against lambda", make, {0}};
