/* Figure "dense_basins_points": how far a query may be, theory and simulation (Lucibello and Mezard, figure
 * 3): the first step of memories of N = 1000 with up to e^500 patterns, and converged dynamics at N = 100 and
 * at sizes that can be stored (docs/dense-simulation.md). */
#include "base/error.h"
#include "lab/figures/dense_points.h"
#include "lab/figures/figures.h"
#include "lab/figures/note.h"

#include <math.h>

static const double ALPHAS[] = {0.1, 0.2, 0.3, 0.5};
enum { LOADS = sizeof ALPHAS / sizeof *ALPHAS };

static ireneo_error lambdas_of(double alpha, double *lambda_c, double *lambda_star) {
    ireneo_dense_point point = {.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL, .alpha = alpha, .lambda = 1.0};
    ireneo_dense_basins_report r;
    IRENEO_TRY(ireneo_dense_basins(&point, &r));
    *lambda_c = r.lambda_c;
    *lambda_star = r.lambda_star;
    return IRENEO_OK;
}

static ireneo_error write_theory(figure_csv *csv) {
    fprintf(csv->stream,
            "alpha,lambda,theta_c\n"
            "# theta_c: largest angle of a query, in radians, that is retrieved; 0: nothing is.\n");
    for (int a = 0; a < LOADS; a++) {
        double first, star;
        IRENEO_TRY(lambdas_of(ALPHAS[a], &first, &star));
        for (int i = 0; i <= 200; i++) { /* dense where the basin opens as a square root */
            double share = i / 200.0;
            ireneo_dense_point point = {.ensemble = IRENEO_DENSE_ENSEMBLE_SPHERICAL,
                                        .alpha = ALPHAS[a],
                                        .lambda = first * exp(log(6.0 / first) * share * share)};
            ireneo_dense_basins_report r;
            IRENEO_TRY(ireneo_dense_basins(&point, &r));
            fprintf(csv->stream, "%g,%.10g,%.10g\n", ALPHAS[a], point.lambda, r.retrieved ? r.theta_c : 0.0);
        }
        fprintf(csv->stream, "\n\n");
    }
    return IRENEO_OK;
}

/* Angles at lambdas spread from just above lambda_c to 1.5 lambda_star. */
static ireneo_error write_angles(const figure_request *request, figure_csv *csv,
                                 const dense_points_request *shape, const size_t *neurons, int lambdas) {
    fprintf(csv->stream, "alpha,neurons,lambda,theta,error\n"
                         "# theta: largest angle of a query, in radians, measured on simulated memories, and "
                         "its standard error.\n");
    for (int a = 0; a < LOADS; a++) {
        double first, star;
        IRENEO_TRY(lambdas_of(ALPHAS[a], &first, &star));
        for (int i = 0; i < lambdas; i++) {
            double share = (i + 0.5) / (lambdas - 0.5),
                   lambda = first * 1.03 * pow(1.5 * star / first, share);
            dense_points_request wanted = *shape;
            ireneo_dense_summary s;
            wanted.measure = IRENEO_DENSE_MEASURE_ANGLE;
            wanted.neurons = neurons[a];
            wanted.log_patterns = ALPHAS[a] * (double)neurons[a];
            wanted.lambda = lambda;
            IRENEO_TRY(ireneo_dense_point_of(request, &wanted, &s));
            fprintf(csv->stream, "%g,%zu,%.8g,%.8g,%.3g\n", ALPHAS[a], neurons[a], lambda, s.value, s.error);
        }
        fprintf(csv->stream, "\n\n");
    }
    return IRENEO_OK;
}

static ireneo_error write_file(const figure_request *request, const char *name,
                               const dense_points_request *shape, const size_t *neurons, int lambdas) {
    figure_csv csv;
    IRENEO_TRY(ireneo_csv_open(request, name, &csv));
    ireneo_error failed =
        shape != NULL ? write_angles(request, &csv, shape, neurons, lambdas) : write_theory(&csv);
    return ireneo_csv_close(&csv, failed);
}

static ireneo_error make(const figure_request *request) {
    static const size_t thousand[LOADS] = {1000, 1000, 1000, 1000}, hundred[LOADS] = {100, 100, 100, 100},
                        storable[LOADS] = {60, 36, 24, 16};
    bool quick = request->quick;
    dense_points_request tail = {.method = IRENEO_DENSE_METHOD_TAIL, .steps = 1, .draws = quick ? 400 : 4000};
    dense_points_request hybrid = {
        .method = IRENEO_DENSE_METHOD_HYBRID, .steps = IRENEO_CONVERGED_STEPS, .draws = quick ? 12 : 100};
    dense_points_request direct = {
        .method = IRENEO_DENSE_METHOD_DIRECT, .steps = IRENEO_CONVERGED_STEPS, .draws = quick ? 24 : 200};
    IRENEO_TRY(ireneo_figure_note(request, "dense_basins_points",
                                  "%zu draws a point (tail sampler), %zu (hybrid), %zu (direct); bars: "
                                  "standard error; direct: N = 60, 36, 24, 16 for α "
                                  "= 0.1, 0.2, 0.3, 0.5",
                                  tail.draws, hybrid.draws, direct.draws));
    IRENEO_TRY(write_file(request, "dense_basins_points_theory.csv", NULL, NULL, 0));
    IRENEO_TRY(write_file(request, "dense_basins_points_tail.csv", &tail, thousand, 14));
    IRENEO_TRY(write_file(request, "dense_basins_points_hybrid.csv", &hybrid, hundred, quick ? 7 : 14));
    return write_file(request, "dense_basins_points_direct.csv", &direct, storable, quick ? 5 : 9);
}

const figure figure_dense_basins_points = {
    "dense_basins_points", "dense memories: how far a query may be, theory and simulation", make, {0}};
